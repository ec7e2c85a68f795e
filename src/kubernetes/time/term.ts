import type { Clock } from './clock.ts';

/** Permission of this process to write, which ends when a lease is lost or the operator stops. */
export interface Term {
  /** Aborted at the end of the term. */
  readonly signal: AbortSignal;
  /**
   * Calls `listener` with the reason of the end, at once if the term has ended. The time of Node.js for a listener of `signal` grows with the
   * number of its listeners, which with many calls under way needs more CPU time than the calls themselves.
   * @returns a function that removes the listener
   */
  onEnd(listener: (reason: unknown) => void): () => void;
  /** @throws the reason of the end, also before `signal` is aborted if a lease was not renewed in time */
  check(): void;
}

/** Reason of the end of a term. No later call of its clients succeeds. */
export class TermEndedError extends Error {}

/** Reason of the end of a term after which another process may write. */
export class LeaseLostError extends TermEndedError {
  constructor(why: string) {
    super(`the leader lease is lost: ${why}`);
    this.name = 'LeaseLostError';
  }
}

/** Why a lease counts as lost without a response of the API server. */
export const NOT_RENEWED = 'not renewed within the renew deadline';

/** Reason of the end of a term that a call found overdue, before an election has noticed and reported it. */
export class RenewalOverdueError extends LeaseLostError {
  constructor() {
    super(NOT_RENEWED);
  }
}

/**
 * Term of the leader. Timers abort its signal, but a timer fires late when the event loop is busy. Each write therefore
 * compares the time, so that a process that was suspended sends no write after its renew deadline.
 */
export class LeaderTerm implements Term {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #controller = new AbortController();
  /** Monotonic time of the renew deadline of each lease, in milliseconds. */
  readonly #deadlines = new Map<string, number>();
  readonly #listeners = new Set<{ readonly tell: (reason: unknown) => void }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether another process may write. */
  get isLost(): boolean {
    this.#endIfOverdue();
    return this.signal.reason instanceof LeaseLostError;
  }

  /** Records a renewal. @param deadline monotonic time until which the lease needs no other renewal */
  renewed(lease: string, deadline: number): void {
    this.#deadlines.set(lease, deadline);
  }

  onEnd(listener: (reason: unknown) => void): () => void {
    if (this.signal.aborted) listener(this.signal.reason);
    const entry = { tell: listener };
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  /** Ends the term for good. */
  end(reason: TermEndedError): void {
    if (this.signal.aborted) return;
    this.#controller.abort(reason);
    for (const { tell } of this.#listeners) tell(reason);
  }

  check(): void {
    this.#endIfOverdue();
    this.signal.throwIfAborted();
  }

  #endIfOverdue(): void {
    const now = this.#clock.monotonic();
    if ([...this.#deadlines.values()].some((deadline) => now > deadline))
      this.end(new RenewalOverdueError());
  }
}
