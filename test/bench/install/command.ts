import { InvalidArgumentError, type Command } from 'commander';
import { fileOfCaller } from './bench-cluster.ts';
import type { RestOptions } from './machine.ts';

/** Options of every install benchmark. */
export interface SeriesChoice {
  readonly warmUp: boolean;
  readonly idle: number;
  readonly idleWait: number;
  readonly json?: string;
  readonly keep: boolean;
}

/** Parses a non-negative number from the command line. @throws InvalidArgumentError for other texts */
export function number(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0))
    throw new InvalidArgumentError('specify a number of at least 0');
  return value;
}

/** Adds the options of `SeriesChoice`. */
export function withSeriesOptions(program: Command): Command {
  return program
    .option('--no-warm-up', 'skip the warm-up round')
    .option(
      '--idle <percent>',
      'required idle share of the CPUs before each measurement',
      number,
      80,
    )
    .option('--idle-wait <seconds>', 'maximum wait for the idle share', number, 180)
    .option('--json <file>', 'file for the raw values', fileOfCaller)
    .option('--keep', 'keep the clusters', false);
}

/** Returns the required idle share before each measurement, and the deadline of the wait for it. */
export const restOf = ({ idle, idleWait }: SeriesChoice): RestOptions => ({
  idle: idle / 100,
  deadlineMs: idleWait * 1000,
});

/** Runs a command line program. Prints an error and sets the exit code to 1 if it fails. */
export async function runProgram(program: Command): Promise<void> {
  try {
    await program.parseAsync();
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
