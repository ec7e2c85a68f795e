/** Bounded waits for work that may never end. The work itself goes on. */
import type { Clock } from './clock.ts';

/** Resolves when the work has ended, or after `ms` milliseconds. @throws errors of the work within that time */
export async function within(
  clock: Pick<Clock, 'after'>,
  ms: number,
  work: Promise<unknown>,
): Promise<void> {
  let cancel = (): void => undefined;
  const overdue = new Promise<void>((resolve) => (cancel = clock.after(ms, resolve)));
  await Promise.race([work, overdue]).finally(() => cancel());
}

/** Resolves `ms` milliseconds after the signal is aborted. */
export function afterAbort(
  clock: Pick<Clock, 'after'>,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const wait = (): void => void clock.after(ms, resolve);
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
  });
}
