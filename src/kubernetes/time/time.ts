/** Times in objects. */

/** Characters of a time of RFC 3339 at most. `Date.parse` accepts other texts of any length, which take long. */
const MAX_TIME_LENGTH = 40;

/** Years of RFC 3339 have four digits. Of a later time, a text of the time some seconds after it may not exist. */
const END_MS = Date.UTC(10_000, 0);

/** Parses a time in an object, which its author may have set to anything. @returns wall clock in milliseconds; NaN if it is no time */
export function parseTime(value: unknown): number {
  if (typeof value !== 'string' || value.length > MAX_TIME_LENGTH) return NaN;
  const ms = Date.parse(value);
  return Math.abs(ms) < END_MS ? ms : NaN;
}
