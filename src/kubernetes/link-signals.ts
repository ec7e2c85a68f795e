/** A signal that follows others. */
export interface LinkedSignal {
  /** Undefined if there is nothing to follow. */
  readonly signal: AbortSignal | undefined;
  /** Stops following. Callers must call it once. */
  readonly release: () => void;
}

/**
 * Returns a signal that is aborted with the first of the given ones. Unlike `AbortSignal.any`, it leaves nothing behind
 * in a signal that lives as long as the process, such as that of the leader term.
 */
export function linkSignals(...given: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const signals = given.filter((signal) => signal !== undefined);
  if (signals.length < 2) return { signal: signals[0], release: () => undefined };
  const controller = new AbortController();
  const followed = signals.map((signal) => ({
    signal,
    follow: (): void => controller.abort(signal.reason),
  }));
  for (const { signal, follow } of followed) {
    if (signal.aborted) follow();
    signal.addEventListener('abort', follow, { once: true });
  }
  return {
    signal: controller.signal,
    release() {
      for (const { signal, follow } of followed) signal.removeEventListener('abort', follow);
    },
  };
}
