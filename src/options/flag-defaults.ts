/** Prints the defaults of flags as a user would write them. */
import type { Command, Option } from 'commander';
import { parseDuration } from './duration.ts';

/**
 * Default of a flag as a user would write it; empty for a flag without one.
 * @param option of the command line; durations are in milliseconds there
 */
export function defaultText({ defaultValue: value, parseArg }: Option): string {
  if (value === undefined) return '';
  if (typeof value === 'number' && parseArg === parseDuration) return `${value / 1_000}s`;
  if (typeof value === 'object' && 'percent' in value) return `${String(value.percent)}%`;
  return String(value);
}

/** Lets `--help` print the defaults of a command as a user would write them. */
export function withReadableDefaults(command: Command): Command {
  for (const option of command.options) option.defaultValueDescription = defaultText(option);
  return command;
}
