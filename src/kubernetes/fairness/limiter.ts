import type { Clock } from '../time/clock.ts';
import { FairOrder, NO_LOAD, type Priority } from './fair-order.ts';
import type { LimiterWaits } from './limiter-waits.ts';
import { OPERATOR, type Origins } from './origin.ts';

/** Client-side limit of calls: `qps` per second on average, `burst` at once. */
export interface RateLimit {
  readonly qps: number;
  readonly burst: number;
  /** Origins of the calls, which share the rate. Without them, all calls have the same origin. */
  readonly origins?: Pick<Origins, 'current'>;
  /** Called when a call may be sent. @param waitedMs time that it waited for the limit */
  readonly onWait?: (waitedMs: number, priority: Priority) => void;
  /** Told which calls wait. */
  readonly waits?: Pick<LimiterWaits, 'begin'>;
}

/**
 * Token bucket. Calls that wait are served in turn by namespace, then by object, so that the calls of one namespace do not
 * delay those of another. Callers bound the number of waiting calls.
 */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  /** Waiting calls, as functions that let them proceed. */
  readonly #waiting = new FairOrder<() => void>();
  /** Monotonic time at which the bucket would be full again without further calls. */
  #fullAt: number;
  #cancelTimer: (() => void) | undefined;

  constructor(limit: RateLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
    this.#fullAt = clock.monotonic();
  }

  /** Number of calls that wait. */
  get length(): number {
    return this.#waiting.size;
  }

  /** Resolves when the caller may send its request, or early when `signal` is aborted. */
  async take(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return;
    const { origins, onWait, waits } = this.#limit;
    const { flow, priority } = origins?.current ?? OPERATOR;
    const began = this.#clock.monotonic();
    const end = waits?.begin(flow.tenant);
    await new Promise<void>((resolve) => {
      const leave = (): void => {
        this.#waiting.delete(proceed);
        proceed();
      };
      const proceed = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.add(proceed, flow, priority);
      signal?.addEventListener('abort', leave, { once: true });
      this.#handOut();
    });
    end?.();
    onWait?.(this.#clock.monotonic() - began, priority);
  }

  get #interval(): number {
    return 1000 / this.#limit.qps;
  }

  get #msUntilToken(): number {
    const now = this.#clock.monotonic();
    return Math.max(this.#fullAt, now) + this.#interval * (1 - this.#limit.burst) - now;
  }

  /** Lets waiting calls proceed while there are tokens, then waits for the next token. */
  #handOut(): void {
    if (this.#cancelTimer !== undefined) return;
    while (this.#msUntilToken <= 0) {
      const next = this.#waiting.take(NO_LOAD);
      if (next === undefined) return;
      this.#fullAt = Math.max(this.#fullAt, this.#clock.monotonic()) + this.#interval;
      next.item();
    }
    if (this.#waiting.size === 0) return;
    this.#cancelTimer = this.#clock.after(this.#msUntilToken, () => {
      this.#cancelTimer = undefined;
      this.#handOut();
    });
  }
}
