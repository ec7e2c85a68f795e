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

/** Two times of an expression with five fields are at least a minute apart. */
const MINUTE_MS = 60_000;

/**
 * Returns the last time in a period: by bisection, because a day has 1,440 minutes and each call of `next` takes 0.1 ms.
 * @param after start of the period, exclusive
 * @param until end of the period, inclusive
 */
export function latestTime(next: NextTime, after: number, until: number): number | undefined {
  const first = next(after);
  if (first === undefined || first > until) return undefined;
  // `latest` is a time of the expression, and there is none between `end` and `until`.
  let [latest, end] = [first, until];
  while (end - latest >= MINUTE_MS) {
    const middle = Math.ceil((latest + end) / 2);
    const found = next(middle - 1);
    if (found === undefined || found > until) end = middle - 1;
    else latest = found;
  }
  return latest;
}
