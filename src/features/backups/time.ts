/** Formats a wall clock time in milliseconds as RFC 3339 with seconds. */
export const timeText = (time: number): string =>
  new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
