/** Environment of a command from a Node.js process. */
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { systemClock } from '../../kubernetes/time/clock.ts';
import {
  CommandError,
  type Environment,
  type ProcessEnvironment,
  type TextStream,
} from './environment.ts';

/** What an entry file provides: version, templates, CRD archives and fields of this build. */
export type BuildParts = Pick<Environment, 'version' | 'templates' | 'crdArchive' | 'fieldSchemas'>;

const textStream = (stream: NodeJS.WriteStream): TextStream => {
  // A reader that closes the pipe early (head, less) is not an error.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return { write: (text) => void stream.write(text), isTerminal: stream.isTTY };
};

/** Returns the environment of a process. The first Ctrl-C interrupts the command, the second ends the process. */
export function processEnvironment(process: NodeJS.Process, build: BuildParts): ProcessEnvironment {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interruption.abort());
  return {
    ...build,
    variables: process.env,
    homeDirectory: homedir(),
    workingDirectory: process.cwd(),
    output: textStream(process.stdout),
    errors: textStream(process.stderr),
    input: () => text(process.stdin),
    ask: (question) => ask(process, question, interruption.signal),
    runProgram: (command, variables) => runProgram(command, { ...process.env, ...variables }),
    clock: systemClock,
    interrupted: interruption.signal,
  };
}

async function ask(
  { stdin, stderr }: NodeJS.Process,
  question: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!stdin.isTTY) return undefined;
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return await lines.question(question, { signal });
  } catch (error) {
    // Ctrl-C or Ctrl-D, or the signal.
    if (fieldsOf(error)['name'] === 'AbortError') return '';
    throw error;
  } finally {
    lines.close();
  }
}

/** Exit code of a shell for a program that it does not find. */
const NOT_FOUND = 127;

function runProgram(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env });
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'ENOENT'
          ? new CommandError(`${program}: program not found`, NOT_FOUND)
          : error,
      ),
    );
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
