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
  const releases = signals.map((signal) => follow(controller, signal));
  return {
    signal: controller.signal,
    release() {
      for (const release of releases) release();
    },
  };
}

/** Aborts a controller with the reason of a signal. @returns a function that stops following. Callers must call it once */
export function follow(controller: AbortController, signal: AbortSignal | undefined): () => void {
  if (signal === undefined) return () => undefined;
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
