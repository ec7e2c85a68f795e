import { spawn, type StdioOptions } from 'node:child_process';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';

export interface CommandOptions {
  cwd?: string | undefined;
  /** Additional environment variables; undefined removes a variable. */
  env?: Readonly<Record<string, string | undefined>>;
  input?: string | undefined;
  /** File for stdout and stderr, instead of the result. */
  log?: string;
  /** Milliseconds after which the command is killed. */
  timeout?: number;
}

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A failed command, with the last lines of its output. */
class CommandError extends Error {
  readonly result: CommandResult;

  constructor(command: readonly string[], result: CommandResult) {
    const said = (result.stderr || result.stdout).trim().split('\n').slice(-5).join('\n');
    // Omit the shell that only enters a cgroup.
    const own = command[0] === '/bin/sh' ? command.slice(5) : command;
    super(`${own.join(' ').slice(0, 200)} ended with ${String(result.code)}: ${said}`);
    this.name = 'CommandError';
    this.result = result;
  }
}

/** Collects the data of a stream. */
function collect(stream: Readable | null): Buffer[] {
  const chunks: Buffer[] = [];
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return chunks;
}

/**
 * Runs a command without a shell and returns its exit code and outputs. If the command cannot start, the exit code is
 * 127, as in a shell, and stderr has the reason.
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

/** Runs a command without a shell and returns its stdout; throws CommandError if the exit code is not 0. */
export async function run(command: readonly string[], options?: CommandOptions): Promise<string> {
  const result = await attempt(command, options);
  if (result.code !== 0) throw new CommandError(command, result);
  return result.stdout;
}
