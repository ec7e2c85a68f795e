import { spawn, type StdioOptions } from 'node:child_process';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';

export interface CommandOptions {
  cwd?: string | undefined;
  /** Added to the environment; a value of undefined removes the variable. */
  env?: Readonly<Record<string, string | undefined>>;
  input?: string | undefined;
  /** File that receives both outputs instead of the result. */
  log?: string;
  /** Milliseconds after which the command is killed. */
  timeout?: number;
}

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Why a command failed, with the end of what it printed. */
class CommandError extends Error {
  readonly result: CommandResult;

  constructor(command: readonly string[], result: CommandResult) {
    const said = (result.stderr || result.stdout).trim().split('\n').slice(-5).join('\n');
    // The shell that only enters a control group is of no use to the reader.
    const own = command[0] === '/bin/sh' ? command.slice(5) : command;
    super(`${own.join(' ').slice(0, 200)} ended with ${String(result.code)}: ${said}`);
    this.name = 'CommandError';
    this.result = result;
  }
}

/** Collects a stream's text. */
function collect(stream: Readable | null): Buffer[] {
  const chunks: Buffer[] = [];
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return chunks;
}

/**
 * Runs a command without a shell and returns its exit code and outputs. One that cannot be started ends, as in a
 * shell, with 127 and says why on its error output.
 */
export async function attempt(
  [file = '', ...args]: readonly string[],
  { cwd, env, input, log, timeout }: CommandOptions = {},
): Promise<CommandResult> {
  const logFile = log === undefined ? undefined : await open(log, 'a');
  try {
    const output = logFile?.fd ?? 'pipe';
    const stdin = input === undefined ? 'ignore' : 'pipe';
    const stdio: StdioOptions = [stdin, output, output];
    const child = spawn(file, args, { cwd, env: { ...process.env, ...env }, stdio, timeout });
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    child.stdin?.on('error', () => undefined).end(input);
    const code = await new Promise<number | null>((resolve) => {
      child.once('error', (error) => {
        stderr.push(Buffer.from(error.message));
        resolve(127);
      });
      child.once('close', resolve);
    });
    const text = (chunks: Buffer[]): string => Buffer.concat(chunks).toString();
    return { code, stdout: text(stdout), stderr: text(stderr) };
  } finally {
    await logFile?.close();
  }
}

/** Runs a command without a shell and returns what it printed; throws CommandError unless it ends with 0. */
export async function run(command: readonly string[], options?: CommandOptions): Promise<string> {
  const result = await attempt(command, options);
  if (result.code !== 0) throw new CommandError(command, result);
  return result.stdout;
}
