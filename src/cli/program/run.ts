/** Runs the kubectl plugin. */
import { CommanderError } from 'commander';
import { COMPLETE, completeWords } from '../completion/completion-command.ts';
import { CommandError, CommandResult, type ProcessEnvironment } from './environment.ts';
import { errorLines } from './error-lines.ts';
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
    const [first = '--help', ...rest] = args;
    if (first === COMPLETE) await completeWords(program, rest, environment);
    else await program.parseAsync([first, ...rest], { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has printed the message of its own errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    if (error instanceof CommandResult) return error.exitCode;
    environment.errors.write(
      errorLines(error)
        .map((line) => `${line}\n`)
        .join(''),
    );
    return error instanceof CommandError ? error.exitCode : 1;
  }
}
