import type { Clock } from '../time/clock.ts';

/** A timer that fires later than this, in milliseconds, indicates that the event loop is overloaded. */
const LATE_MS = 50;

/**
 * Calls `action` once if work that starts now takes longer than `ms` milliseconds. If the timer fires late, the event
 * loop was overloaded and the work had no time to progress, so the timer restarts.
 * @returns a function that cancels the timer
 */
export function whenSlow(
  clock: Pick<Clock, 'monotonic' | 'after'>,
  ms: number,
  action: () => void,
): () => void {
  let cancel: () => void = () => undefined;
  const wait = (): void => {
    const due = clock.monotonic() + ms;
    cancel = clock.after(ms, () => {
      if (clock.monotonic() - due > LATE_MS) wait();
      else action();
    });
  };
  wait();
  return () => cancel();
}
