import type { Clock } from './clock.ts';

/** A timer that fires later than this shows that the process has more to compute than it can. */
const LATE_MS = 50;

/**
 * Calls `action` once, when work that began now has taken `ms` milliseconds although the process had time for it. A timer
 * that fires late says nothing about the work: it is set again.
 * @returns cancels it
 */
export function afterPatience(
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
