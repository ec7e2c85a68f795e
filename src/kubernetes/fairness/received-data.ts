import type { Clock } from '../time/clock.ts';
import { ParseBudgets } from './parse-budgets.ts';
import type { ThreadShares } from './thread-shares.ts';

/** Runs `work`, at once or in a turn. Rejects without running it when the signal is aborted before. */
export type InTurn = (work: () => void, signal: AbortSignal) => Promise<void>;

/**
 * Time in which data is handled at once. A handshake with an honest server takes some milliseconds, so those with a hundred host clusters
 * of a namespace wait for no turn. All namespaces together occupy the thread for 2 s at most, far less than the Lease of the operator allows.
 */
const AT_ONCE = {
  namespace: { share: 0.2, savedMs: 1_000 },
  all: { share: 0.5, savedMs: 1_000 },
} as const;

/** Name of the budget of all namespaces. */
const ALL = '';

/**
 * Limits the time of the thread for what the servers of tenants send. TLS handles it without a break, and a server decides how long that
 * takes. What those of a namespace send above its share is handled in turns.
 */
export class ReceivedData {
  readonly #thread: Pick<ThreadShares, 'run'>;
  readonly #namespaces: ParseBudgets;
  readonly #all: ParseBudgets;

  constructor(clock: Pick<Clock, 'monotonic'>, thread: Pick<ThreadShares, 'run'>) {
    this.#thread = thread;
    this.#namespaces = new ParseBudgets(clock, AT_ONCE.namespace);
    this.#all = new ParseBudgets(clock, AT_ONCE.all);
  }

  /** @param namespace that chose the servers */
  of(namespace: string): InTurn {
    const flow = { group: namespace, tenant: '' };
    return async (work, signal) => {
      const counted = (): void => this.#namespaces.run(namespace, work);
      if (this.#namespaces.hasRoom(namespace) && this.#all.hasRoom(ALL))
        this.#all.run(ALL, counted);
      else await this.#thread.run(counted, { flow, signal });
    };
  }
}
