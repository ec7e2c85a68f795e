import { sleep, type Clock } from './clock.ts';

interface Repetition {
  readonly clock: Clock;
  /** Ends the attempts. */
  readonly signal: AbortSignal;
  /** Between two attempts, in milliseconds. */
  readonly pauseMs: number;
}

/**
 * Attempts something until it succeeds.
 * @param isPassing whether another attempt may succeed after this error
 * @throws the first other error, and each error after the end
 */
export async function repeated<T>(
  attempt: () => Promise<T>,
  isPassing: (error: unknown) => boolean,
  { clock, signal, pauseMs }: Repetition,
): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      await sleep(clock, pauseMs, signal);
    }
  }
}
