/** Requeues Karmadas whose caches become stale. An unresponsive API server causes no watch event. */
import type { Clock } from '../../kubernetes/time/clock.ts';

/**
 * Interval between checks, in milliseconds; also the requeue delay of a Karmada that is not reconciled because of
 * stale caches.
 */
export const CHECK_INTERVAL_MS = 10_000;

export interface StaleWatchMonitorOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** Returns by Karmada (`namespace/name`) why its caches are stale. */
  readonly readStale: () => ReadonlyMap<string, string | undefined>;
  /** Whether the caches of the management cluster are stale or not filled within the allowed time. */
  readonly isOverdue: () => boolean;
  readonly onChange: (key: string) => void;
}

export class StaleWatchMonitor {
  readonly #options: StaleWatchMonitorOptions;
  readonly #overdue = Promise.withResolvers<undefined>();
  #seen: ReadonlyMap<string, string | undefined> = new Map();
  #cancel: () => void = () => undefined;

  constructor(options: StaleWatchMonitorOptions) {
    this.#options = options;
  }

  /** Resolves when `isOverdue` is true for the first time. Never rejects. */
  get overdue(): Promise<void> {
    return this.#overdue.promise;
  }

  /** Starts periodic checks until `close`. */
  start(): void {
    const { clock } = this.#options;
    this.#cancel = clock.after(CHECK_INTERVAL_MS, () => {
      this.#check();
      this.start();
    });
  }

  /** Stops the checks. */
  close(): void {
    this.#cancel();
  }

  #check(): void {
    const { readStale, isOverdue, onChange } = this.#options;
    const seen = readStale();
    for (const [key, text] of seen) if (this.#seen.get(key) !== text) onChange(key);
    this.#seen = seen;
    if (isOverdue()) this.#overdue.resolve(undefined);
  }
}
