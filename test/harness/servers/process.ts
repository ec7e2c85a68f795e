import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** A server process of a test; its output goes to a file. */
export interface Server {
  /** Undefined if it could not be started. */
  readonly pid: number | undefined;
  /** Sends the signal and resolves when the process has ended. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Resolves to the exit code when the process has ended; 137 if a signal ended it. */
  readonly exited: Promise<number>;
  /** True if the process has ended for any reason. */
  ended(): boolean;
  /** Last lines of the output, for error messages. */
  tail(): string;
}

/**
 * Child process that kills `pid` when this process ends, even by SIGKILL: the kernel then closes the pipe that the
 * child reads from.
 */
function reaper(pid: number): ChildProcess {
  const script = 'cat >/dev/null; kill -9 "$1" 2>/dev/null';
  const child = spawn('/bin/sh', ['-c', script, 'reaper', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  return child;
}

/** Starts a server that ends with this process at the latest. @param env variables; those of this process by default */
export function startServer(
  command: string,
  args: readonly string[],
  logFile: string,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): Server {
  const log = openSync(logFile, 'a');
  const child = spawn(command, [...args], { stdio: ['ignore', log, log], env });
  closeSync(log);
  let failure = '';
  let done = false;
  const guard = child.pid === undefined ? undefined : reaper(child.pid);
  const finished = new Promise<number>((resolve) => {
    const finish = (code: number | null = 127): void => {
      done = true;
      guard?.kill('SIGKILL');
      resolve(code ?? 137);
    };
    child.once('exit', finish);
    child.once('error', (error) => {
      failure = error.message;
      finish();
    });
  });
  return {
    pid: child.pid,
    exited: finished,
    end: async (signal) => {
      if (!done) child.kill(signal);
      await finished;
    },
    ended: () => done,
    tail: () => `${failure}${readFileSync(logFile, 'utf8').split('\n').slice(-15).join('\n')}`,
  };
}

/**
 * Below the ports that Linux gives to outgoing connections (32768 and higher): one of those could be in use before the
 * server that it was found for listens.
 */
const LOWEST_PORT = 15_000;
const BEYOND_PORTS = 30_000;

/** TCP ports of the loopback interface that were free when this function was called. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(LOWEST_PORT, BEYOND_PORTS);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
