import { existsSync, readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Processor seconds of the whole machine since it started. */
interface Processors {
  readonly busy: number;
  readonly idle: number;
}

/** Reads the first line of /proc/stat: user nice system idle iowait irq softirq steal, in hundredths of a second. */
export function parseProcessors(stat: string): Processors {
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0] = (
    stat.split('\n')[0] ?? ''
  )
    .trim()
    .split(/\s+/)
    .slice(1)
    .map((text) => Number(text) / 100);
  return { busy: user + nice + system + irq + soft + steal, idle: idle + wait };
}

const processors = (): Processors => parseProcessors(readFileSync('/proc/stat', 'utf8'));

/** Processor seconds that the control groups of a cluster have used: everything in it, the node's programs too. */
function clusterSeconds(cluster: string): number {
  const group = `karmada-embedded-${cluster}`;
  const first = join('/sys/fs/cgroup/cpuacct', group, 'cpuacct.usage');
  if (existsSync(first)) return Number(readFileSync(first, 'utf8')) / 1e9;
  const second = readFileSync(join('/sys/fs/cgroup', group, 'cpu.stat'), 'utf8');
  return Number(/^usage_usec (\d+)$/m.exec(second)?.[1]) / 1e6;
}

function ownSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Processor time while something was measured. */
export interface Load {
  /** Seconds used by the clusters, with all that runs in them. */
  readonly clusterSeconds: number;
  /** Processors, on average, that were busy with neither the clusters nor this process. */
  readonly foreign: number;
}

/** Starts to count for some clusters; the function it returns tells what has been used since. */
export function countLoad(clusters: readonly string[]): () => Load {
  const began = performance.now();
  const all = (): number => clusters.map(clusterSeconds).reduce((sum, used) => sum + used, 0);
  const before = { busy: processors().busy, clusters: all(), own: ownSeconds() };
  return () => {
    const used = all() - before.clusters;
    const others = processors().busy - before.busy - used - (ownSeconds() - before.own);
    const seconds = (performance.now() - began) / 1000;
    return { clusterSeconds: used, foreign: Math.max(0, others / seconds) };
  };
}

/** How quiet the machine was before a measurement. */
export interface Rest {
  /** Idle share of the processors in the last window, 0 to 1. */
  readonly idle: number;
  readonly waitedMs: number;
  /** False when the machine never became quiet and the measurement was made all the same. */
  readonly quiet: boolean;
  /** Load average over a minute, for the record: it lags too far behind to wait for. */
  readonly load: number;
}

export interface RestOptions {
  /** Idle share of the processors that counts as rest. */
  readonly idle: number;
  readonly deadlineMs: number;
}

const windowMs = 3_000;

/** Waits until the processors have been idle enough for three seconds, at most until the deadline. */
export async function awaitRest({ idle: wanted, deadlineMs }: RestOptions): Promise<Rest> {
  for (const began = performance.now(); ;) {
    const before = processors();
    await delay(windowMs);
    const after = processors();
    const idle = (after.idle - before.idle) / (after.idle - before.idle + after.busy - before.busy);
    const waitedMs = performance.now() - began;
    const quiet = idle >= wanted;
    if (quiet || waitedMs >= deadlineMs) return { idle, waitedMs, quiet, load: loadavg()[0] ?? 0 };
  }
}

/** What the figures depend on. */
export interface Machine {
  readonly processor: string;
  readonly processors: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly node: string;
}

/** Facts about this machine. */
export function describeMachine(): Machine {
  const [first] = cpus();
  return {
    processor: first?.model ?? 'unknown',
    processors: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
  };
}

/** A line for reports. */
export const machineText = ({ processor, processors, memoryGiB, kernel, node }: Machine): string =>
  `Machine: ${String(processors)} × ${processor}, ${String(memoryGiB)} GiB, Linux ${kernel}, Node.js ${node}.`;
