/** Go durations such as `15s`, `1m30s` or `500ms`: pure. */

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses a duration. @returns milliseconds; undefined if the text is no duration */
export function durationMs(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text) return undefined;
  return parts.reduce((sum, [, value, unit = 's']) => sum + Number(value) * (UNITS[unit] ?? 0), 0);
}
