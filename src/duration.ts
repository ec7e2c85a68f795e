import { InvalidArgumentError } from 'commander';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Parses a Go duration such as `15s`, `1m30s` or `500ms`. @returns milliseconds @throws InvalidArgumentError */
export function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text) {
    throw new InvalidArgumentError('must be a duration such as 15s or 1m30s.');
  }
  return parts.reduce((sum, [, value, unit = 's']) => sum + Number(value) * (units[unit] ?? 0), 0);
}
