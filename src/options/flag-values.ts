/** Parsers of flag values. */
import { InvalidArgumentError } from 'commander';

/** Parses an integer above 0. @throws InvalidArgumentError */
export function positive(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('must be an integer above 0.');
}

/** Parses a number above 0. @throws InvalidArgumentError */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('must be a number above 0.');
}

/** Parses an integer of 0 or more. @throws InvalidArgumentError */
export function verbosity(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text)) return value;
  throw new InvalidArgumentError('must be an integer of 0 or more.');
}

/** Parses `--name=true` and `--name=false`, as the flag package of Go does. @throws InvalidArgumentError */
export function boolean(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('must be true or false.');
}
