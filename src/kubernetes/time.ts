/** Times in objects. */

/** Characters of a time of RFC 3339 at most. `Date.parse` accepts other texts of any length, which take long. */
const MAX_TIME_LENGTH = 40;

/** Parses a time in an object, which its author may have set to anything. @returns wall clock in milliseconds; NaN if it is no time */
export const parseTime = (value: unknown): number =>
  typeof value === 'string' && value.length <= MAX_TIME_LENGTH ? Date.parse(value) : NaN;
