/** Durations in the format of Go. Pure functions. */

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Parses a Go duration such as `15s`, `1m30s` or `500ms`. @returns milliseconds; undefined if it is invalid */
export function durationMs(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d{1,20}(?:\.\d{1,20})?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text) return undefined;
  return parts.reduce((sum, [, value, unit = 's']) => sum + Number(value) * (UNITS[unit] ?? 0), 0);
}
