/** Times of a cron expression. */
import { Cron } from 'croner';

/** Function that returns the first time after another one; undefined if there is none. Milliseconds since 1970. */
export type NextTime = (after: number) => number | undefined;

/**
 * Parses a cron expression with five fields or a nickname such as `@daily`.
 * @param timeZone IANA name
 * @throws Error that names the invalid part
 */
export function cronTimes(expression: string, timeZone: string): NextTime {
  // Paused, so that it starts no timer.
  const cron = new Cron(expression, { timezone: timeZone, mode: '5-part', paused: true });
  // The library reports an unknown time zone only when it computes a time.
  cron.nextRun(new Date(0));
  return (after) => cron.nextRun(new Date(after))?.getTime();
}
