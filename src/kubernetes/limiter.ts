import { sleep, type Clock } from './clock.ts';

/** Client-side limit of calls: `qps` per second on average, `burst` at once. */
export interface RateLimit {
  readonly qps: number;
  readonly burst: number;
}

/** Token bucket that serves callers in the order of their calls. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  /** Monotonic time at which the bucket would be full again without further calls. */
  #fullAt: number;

  constructor(limit: RateLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
    this.#fullAt = clock.monotonic();
  }

  /** Resolves when the caller may send its request, or early when `signal` is aborted. */
  async take(signal?: AbortSignal): Promise<void> {
    const interval = 1000 / this.#limit.qps;
    const now = this.#clock.monotonic();
    this.#fullAt = Math.max(this.#fullAt, now) + interval;
    const wait = this.#fullAt - now - this.#limit.burst * interval;
    if (wait > 0) await sleep(this.#clock, wait, signal);
  }
}
