import { InvalidArgumentError, type Command } from 'commander';
import { fileOfCaller } from './bench-cluster.ts';
import type { RestOptions } from './machine.ts';

/** What every benchmark of installs is asked. */
export interface SeriesChoice {
  readonly warmUp: boolean;
  readonly idle: number;
  readonly idleWait: number;
  readonly json?: string;
  readonly keep: boolean;
}

/** A number that is not negative, from the command line. @throws InvalidArgumentError for anything else */
export function number(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0)) throw new InvalidArgumentError('give a number');
  return value;
}

/** Adds the options of `SeriesChoice`. */
export function withSeriesOptions(program: Command): Command {
  return program
    .option('--no-warm-up', 'leave out the round that comes first and is not counted')
    .option('--idle <percent>', 'idle share of the processors before each measurement', number, 80)
    .option('--idle-wait <seconds>', 'longest wait for that', number, 180)
    .option('--json <file>', 'write the raw values', fileOfCaller)
    .option('--keep', 'leave what was brought up', false);
}

/** How quiet the machine has to be before each measurement. */
export const restOf = ({ idle, idleWait }: SeriesChoice): RestOptions => ({
  idle: idle / 100,
  deadlineMs: idleWait * 1000,
});

/** Does what the command line says; an error is told and is the exit code. */
export async function runProgram(program: Command): Promise<void> {
  try {
    await program.parseAsync();
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
