/** Work that a test repeats in the background. */
import { setTimeout as delay } from 'node:timers/promises';

/** Repeats `work` with this pause between two runs. Stopping waits for the current run, and throws its error. */
export function repeatedly(
  work: (count: number) => Promise<unknown>,
  pauseMs: number,
): { start(): void; stop(): Promise<void> } {
  let isStopped = false;
  let running: Promise<unknown> = Promise.resolve();
  const run = async (): Promise<void> => {
    for (let count = 0; !isStopped; count += 1) {
      await work(count);
      await delay(pauseMs);
    }
  };
  return {
    start() {
      // An error is thrown by `stop`, and must not end the process before.
      running = run().catch((error: unknown) => ({ error }));
    },
    async stop() {
      isStopped = true;
      const result = await running;
      if (result !== undefined) throw (result as { error: Error }).error;
    },
  };
}
