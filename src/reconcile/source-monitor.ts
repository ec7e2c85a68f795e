/** Asks for passes over Karmadas when what is known of them becomes stale: no event tells of an API server that is silent. */
import type { Clock } from '../kubernetes/clock.ts';

/** Time between two looks, in milliseconds; a Karmada that is not worked on is looked at as often. */
export const LOOK_MS = 10_000;

export interface SourceMonitorOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** Why what is known does not count, by Karmada (`namespace/name`). */
  readonly look: () => ReadonlyMap<string, string | undefined>;
  /** Whether nothing is known of the operator's own cluster although the time for that has passed. */
  readonly isOverdue: () => boolean;
  readonly onChange: (key: string) => void;
}

export class SourceMonitor {
  readonly #options: SourceMonitorOptions;
  readonly #overdue = Promise.withResolvers<undefined>();
  #seen: ReadonlyMap<string, string | undefined> = new Map();
  #cancel: () => void = () => undefined;

  constructor(options: SourceMonitorOptions) {
    this.#options = options;
  }

  /** Resolves when something is overdue; never rejects. */
  get overdue(): Promise<void> {
    return this.#overdue.promise;
  }

  /** Looks again and again until `close`. */
  start(): void {
    const { clock } = this.#options;
    this.#cancel = clock.after(LOOK_MS, () => {
      this.#look();
      this.start();
    });
  }

  /** Looks no more. */
  close(): void {
    this.#cancel();
  }

  #look(): void {
    const { look, isOverdue, onChange } = this.#options;
    const seen = look();
    for (const [key, text] of seen) if (this.#seen.get(key) !== text) onChange(key);
    this.#seen = seen;
    if (isOverdue()) this.#overdue.resolve(undefined);
  }
}
