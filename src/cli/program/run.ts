/** Runs the kubectl plugin. */
import { CommanderError } from 'commander';
import { ApiError, errorText } from '../../kubernetes/errors.ts';
import { COMPLETE, completeWords } from '../completion/completion-command.ts';
import type { Environment } from './environment.ts';
import { pluginProgram } from './program.ts';
import { printable } from './text.ts';

/**
 * Runs a command line. All errors are printed.
 * @param args without the name of the program
 * @returns the exit code: 0, or 1 after an error, as kubectl
 */
export async function runPlugin(
  args: readonly string[],
  environment: Environment,
): Promise<number> {
  try {
    const program = pluginProgram(environment);
    const [first = '--help', ...rest] = args;
    if (first === COMPLETE) await completeWords(program, rest, environment);
    else await program.parseAsync([first, ...rest], { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has printed the message of its own errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    environment.errors.write(`${errorLine(error)}\n`);
    return 1;
  }
}

/** Text of an error in the style of kubectl. */
function errorLine(error: unknown): string {
  if (!(error instanceof ApiError)) return `error: ${printable(errorText(error))}`;
  const { code, reason, message } = error;
  const marker = `: ${code} ${reason}: `;
  const start = message.indexOf(marker);
  const text = start < 0 ? message : message.slice(start + marker.length);
  return `Error from server (${reason}): ${printable(text)}`;
}
