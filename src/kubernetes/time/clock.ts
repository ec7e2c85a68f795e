/** Source of time. Tests use a manual clock. */
export interface Clock {
  /** Wall clock in milliseconds since 1970, only for times in objects. */
  wall(): number;
  /** Monotonic time in milliseconds, for all durations and deadlines. */
  monotonic(): number;
  /** Runs `action` once after at least `ms` milliseconds of monotonic time. @returns a function that cancels it */
  after(ms: number, action: () => void): () => void;
}

/** Returns a number in [0, 1), as Math.random. */
export type Random = () => number;

/** Structured logger, compatible with pino. Fields must not contain secret data. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A timer of Node.js with a longer time fires after 1 ms, again and again. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Clock of the operating system. */
export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, action) => {
    const due = performance.now() + ms;
    let timer: NodeJS.Timeout;
    // Timers of Node.js have whole milliseconds and can fire up to 1 ms early. Without this check an action that
    // compares the time would conclude that it is too early, and would not run again.
    const wait = (left: number): void => {
      timer = setTimeout(check, Math.min(MAX_TIMER_MS, Math.max(0, Math.ceil(left))));
    };
    const check = (): void => {
      const left = due - performance.now();
      if (left > 0) wait(left);
      else action();
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};

/** Runs `action` periodically. @returns a function that ends it */
export function every(ms: number, action: () => void, clock: Pick<Clock, 'after'>): () => void {
  let cancel = (): void => undefined;
  const wait = (): void => {
    cancel = clock.after(ms, () => {
      action();
      wait();
    });
  };
  wait();
  return () => cancel();
}

/** Resolves after `ms` milliseconds, or early and without an error when `signal` is aborted. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/**
 * Exponential backoff with jitter: `base * 2^failures`, at most `max`, ±10 %.
 * @param failures number of previous failures in a row
 * @param bounds in milliseconds
 * @returns milliseconds
 */
export function backoffMs(
  failures: number,
  bounds: { readonly base: number; readonly max: number },
  random: Random,
): number {
  return spread(Math.min(bounds.max, bounds.base * 2 ** Math.min(failures, 30)), random);
}

/** Adds a jitter of ±10 % to a duration. */
export const spread = (ms: number, random: Random): number => ms * (0.9 + 0.2 * random());
