import { InvalidArgumentError } from 'commander';
import { durationMs } from './api/duration.ts';

/** Parses the duration of a flag, such as `15s`, `1m30s` or `500ms`. @returns milliseconds @throws InvalidArgumentError */
export function parseDuration(text: string): number {
  const milliseconds = durationMs(text);
  if (milliseconds === undefined)
    throw new InvalidArgumentError('must be a duration such as 15s or 1m30s.');
  return milliseconds;
}
