import { InvalidArgumentError } from 'commander';
import { durationMs } from '../api/duration.ts';

/** Parses a Go duration such as `15s`, `1m30s` or `500ms`. @returns milliseconds @throws InvalidArgumentError */
export function parseDuration(text: string): number {
  const found = durationMs(text);
  if (found === undefined)
    throw new InvalidArgumentError('must be a duration such as 15s or 1m30s.');
  return found;
}
