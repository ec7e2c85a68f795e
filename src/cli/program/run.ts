/** Runs the kubectl plugin. */
import { CommanderError } from 'commander';
import { COMPLETE, completeWords } from '../completion/completion-command.ts';
import {
  CommandError,
  CommandResult,
  type Environment,
  type ProcessEnvironment,
} from './environment.ts';
import { errorLines, hasUnknownFields } from './error-lines.ts';
import { pluginProgram } from './program.ts';
import { safeEnvironment } from './safe-output.ts';

/**
 * Runs a command line. All errors are printed.
 * @param args without the name of the program
 * @returns the exit code: 0, or 1 after an error, as kubectl; some commands have further ones
 */
export async function runPlugin(
  args: readonly string[],
  process: ProcessEnvironment,
): Promise<number> {
  const environment = safeEnvironment(process);
  try {
    const program = pluginProgram(environment);
    const [first = '--help', ...rest] = args[0] === 'help' ? [...args.slice(1), '--help'] : args;
    if (first === COMPLETE) await completeWords(program, rest, environment);
    else await program.parseAsync([first, ...rest], { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has printed the message of its own errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    if (error instanceof CommandResult) return error.exitCode;
    const lines = await explained(error, environment);
    environment.errors.write(lines.map((line) => `${line}\n`).join(''));
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

/** Returns the lines of an error. The fields are read only for an error about fields. */
async function explained(
  error: unknown,
  { fieldSchemas }: Pick<Environment, 'fieldSchemas'>,
): Promise<readonly string[]> {
  return hasUnknownFields(error)
    ? errorLines(error, (await fieldSchemas()).Karmada)
    : errorLines(error);
}
