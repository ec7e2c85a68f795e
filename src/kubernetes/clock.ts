/** Time as the runtime needs it; tests pass their own. */
export interface Clock {
  /** Wall clock in milliseconds since 1970, only for times that are written into objects. */
  wall(): number;
  /** Milliseconds that never jump, for every duration and deadline. */
  monotonic(): number;
  /** Runs `action` once when `monotonic` has gone on by `ms` or more; the returned function cancels it. */
  after(ms: number, action: () => void): () => void;
}

/** A number in [0, 1), as Math.random gives. */
export type Random = () => number;

/** Receiver of structured log lines, as pino's loggers are. Fields never hold secret data. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The real clock. */
export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, action) => {
    const due = performance.now() + ms;
    let timer: NodeJS.Timeout;
    // Node's timers have whole milliseconds and may be early by a part of one: who then looks whether it is time already
    // would find that it is not, and nobody would look again.
    const wait = (left: number): void => {
      timer = setTimeout(check, Math.max(0, Math.ceil(left)));
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

/** Resolves after `ms` milliseconds, or early (without an error) when `signal` is aborted. */
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

/** Exponential backoff: `base * 2^failures`, at most `max`, spread by ±10 % so that peers do not march in step. */
export function backoffMs(
  failures: number,
  bounds: { readonly base: number; readonly max: number },
  random: Random,
): number {
  return spread(Math.min(bounds.max, bounds.base * 2 ** Math.min(failures, 30)), random);
}

/** A duration spread by ±10 %. */
export const spread = (ms: number, random: Random): number => ms * (0.9 + 0.2 * random());
