import { existsSync, readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** CPU seconds of the whole machine since its start. */
interface Processors {
  readonly busy: number;
  readonly idle: number;
}

/** Parses the first line of /proc/stat: user nice system idle iowait irq softirq steal, in hundredths of a second. */
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

/** Returns the CPU seconds of all cgroups of a cluster, including the programs of the node. */
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

/** CPU time during a measurement. */
export interface Load {
  /** CPU seconds of the clusters and all their Pods. */
  readonly clusterSeconds: number;
  /** Average number of CPUs that other processes used. */
  readonly foreign: number;
}

/** Starts to measure the CPU time of clusters. @returns a function that returns the load since then */
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

/** Idle state of the machine before a measurement. */
export interface Rest {
  /** Idle share of the CPUs in the last window, 0 to 1. */
  readonly idle: number;
  readonly waitedMs: number;
  /** False if the machine was not idle before the deadline, and the measurement started anyway. */
  readonly quiet: boolean;
  /** Load average over one minute, for information only. It is too slow to wait for. */
  readonly load: number;
}

export interface RestOptions {
  /** Required idle share of the CPUs, 0 to 1. */
  readonly idle: number;
  readonly deadlineMs: number;
}

const windowMs = 3_000;

/** Waits until the CPUs have had the required idle share for three seconds, at most until the deadline. */
export async function awaitRest({ idle: required, deadlineMs }: RestOptions): Promise<Rest> {
  for (const began = performance.now(); ;) {
    const before = processors();
    await delay(windowMs);
    const after = processors();
    const idle = (after.idle - before.idle) / (after.idle - before.idle + after.busy - before.busy);
    const waitedMs = performance.now() - began;
    const quiet = idle >= required;
    if (quiet || waitedMs >= deadlineMs) return { idle, waitedMs, quiet, load: loadavg()[0] ?? 0 };
  }
}

/** Properties of the machine that affect the measurements. */
export interface Machine {
  readonly processor: string;
  readonly processors: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly node: string;
}

/** Describes this machine. */
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

/** Formats the machine as one line for reports. */
export const machineText = ({ processor, processors, memoryGiB, kernel, node }: Machine): string =>
  `Machine: ${String(processors)} × ${processor}, ${String(memoryGiB)} GiB, Linux ${kernel}, Node.js ${node}.`;
