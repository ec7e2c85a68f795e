/** Times of a cron expression. */
import { Cron } from 'croner';

/** Function that returns the first time after another one; undefined if there is none. Milliseconds since 1970. */
export type NextTime = (after: number) => number | undefined;

/** Nicknames of the CRD. */
const NICKNAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
};

/** Years that are searched for a time: February 29 may be missing for 8 years. The library would search 400 years. */
const YEARS = 9;

/**
 * Parses a cron expression with five fields or a nickname such as `@daily`.
 * @param timeZone IANA name
 * @returns function that finds times within the next years
 * @throws Error that names the invalid part
 */
export function cronTimes(expression: string, timeZone: string): NextTime {
  const fields = NICKNAMES[expression] ?? expression;
  // Paused, so that it starts no timer. Checks the number of the fields.
  void new Cron(fields, { mode: '5-part', paused: true });
  let [from, cron] = yearsFrom(fields, timeZone, 0);
  // The library reports an unknown time zone only when it computes a time.
  cron.nextRun(new Date(0));
  return (after) => {
    // In any time zone.
    if (from !== firstYear(after)) [from, cron] = yearsFrom(fields, timeZone, after);
    return cron.nextRun(new Date(after))?.getTime();
  };
}

const firstYear = (after: number): number => new Date(after).getUTCFullYear() - 1;

function yearsFrom(fields: string, timezone: string, after: number): [number, Cron] {
  const from = firstYear(after);
  const years = `${String(from)}-${String(from + YEARS + 1)}`;
  return [from, new Cron(`0 ${fields} ${years}`, { timezone, mode: '7-part', paused: true })];
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
