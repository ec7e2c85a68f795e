import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { core, type Instance } from './instance.ts';
import { measureInstall, measureRemoval } from './measure.ts';
import type { Operator, OperatorLabel } from './operators.ts';
import type { Session } from './session.ts';

/** Memory of an idle operator container in bytes, sampled at the end of the idle time. */
export interface MemoryFigure {
  readonly operator: OperatorLabel;
  /** Number of control planes. */
  readonly instances: number;
  /** Working set as in the kubelet: memory in use without inactive file pages. */
  readonly workingSet: readonly number[];
  /** Anonymous memory alone. */
  readonly anonymous: readonly number[];
  /** RSS of its processes. Includes pages of the program file, which a cgroup counts only for their first reader. */
  readonly resident: readonly number[];
}

interface MemorySample {
  readonly workingSet: number;
  readonly anonymous: number;
}

/** Returns a value of memory.stat. @throws Error if it is missing */
function stat(text: string, name: string): number {
  const value = new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1];
  if (value === undefined) throw new Error(`memory.stat has no ${name}`);
  return Number(value);
}

/**
 * Computes working set and anonymous memory from the files of a cgroup.
 * @param usage content of memory.usage_in_bytes (version 1) or memory.current (version 2)
 * @param text content of memory.stat
 * @param version cgroup version
 * @returns bytes
 */
export function memorySample(usage: string, text: string, version: 1 | 2): MemorySample {
  const inactive = stat(text, version === 1 ? 'total_inactive_file' : 'inactive_file');
  const anonymous = stat(text, version === 1 ? 'total_rss' : 'anon');
  return { workingSet: Math.max(0, Number(usage) - inactive), anonymous };
}

/** Parses the RSS in bytes from the content of /proc/<pid>/status. */
export function residentBytes(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Returns the RSS of all processes of a cgroup, in bytes. */
function residentOf(group: string): number {
  return readFileSync(join(group, 'cgroup.procs'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((id) => residentBytes(readFileSync(`/proc/${id}/status`, 'utf8')))
    .reduce((sum, bytes) => sum + bytes, 0);
}

/** Finds the cgroup of a container below the cgroup of the cluster. */
function containerGroup(cluster: string, container: string): { group: string; version: 1 | 2 } {
  const first = '/sys/fs/cgroup/memory';
  const version = existsSync(first) ? 1 : 2;
  const top = join(version === 1 ? first : '/sys/fs/cgroup', `karmada-embedded-${cluster}`);
  const found = readdirSync(top, { recursive: true, withFileTypes: true }).find(
    (entry) => entry.isDirectory() && entry.name.includes(container),
  );
  if (found === undefined) throw new Error(`container ${container} has no cgroup`);
  return { group: join(found.parentPath, found.name), version };
}

interface PodStatus {
  containerStatuses?: { containerID?: string; restartCount: number }[];
}

/** Returns the ID of the single container of a Pod. */
function containerId(pod: KubernetesObject): string {
  const [status] = (pod.status as PodStatus).containerStatuses ?? [];
  const id = status?.containerID?.replace('containerd://', '') ?? '';
  if (id === '') throw new Error(`pod ${pod.metadata.name} has no running container`);
  return id;
}

const samples = 12;
const intervalMs = 5_000;

/** Waits for the idle time, and takes samples during its last minute. */
async function sampleAtRest(
  cluster: string,
  container: string,
  restMs: number,
): Promise<(MemorySample & { resident: number })[]> {
  const { group, version } = containerGroup(cluster, container);
  const taken: (MemorySample & { resident: number })[] = [];
  await delay(Math.max(0, restMs - samples * intervalMs));
  for (let count = 0; count < samples; count++) {
    await delay(Math.min(intervalMs, restMs / samples));
    const read = (file: string): string => readFileSync(join(group, file), 'utf8');
    const usage = read(version === 1 ? 'memory.usage_in_bytes' : 'memory.current');
    const resident = residentOf(group);
    taken.push({ ...memorySample(usage, read('memory.stat'), version), resident });
  }
  return taken;
}

/** Separate namespaces, because the Go operator mixes up the Pods of control planes in one namespace. */
const instances: readonly Instance[] = [1, 2, 3].map((number) => ({
  namespace: `bench-memory-${String(number)}`,
  name: 'demo',
  components: core,
}));

export interface MemoryOptions {
  readonly restMs: number;
  readonly crds: readonly string[];
  /** The leading pod of the operator. */
  readonly pod: KubernetesObject;
}

/** Measures the memory of a running operator with one and three control planes, each time idle; then deletes all. */
export async function measureMemory(
  session: Session,
  { label }: Operator,
  { restMs, crds, pod }: MemoryOptions,
): Promise<MemoryFigure[]> {
  const figures: MemoryFigure[] = [];
  for (const [index, instance] of instances.entries()) {
    const count = index + 1;
    const name = `${label}: control plane ${String(count)}`;
    await session.progress.step(name, () =>
      measureInstall(session, instance, crds, () => Promise.resolve()),
    );
    if (count === 2) continue;
    const container = containerId(pod);
    const taken = await session.progress.step(`${label}: idle with ${String(count)}`, () =>
      sampleAtRest(session.cluster.name, container, restMs),
    );
    figures.push({
      operator: label,
      instances: count,
      workingSet: taken.map(({ workingSet }) => workingSet),
      anonymous: taken.map(({ anonymous }) => anonymous),
      resident: taken.map(({ resident }) => resident),
    });
  }
  await Promise.all(instances.map((instance) => measureRemoval(session, instance)));
  return figures;
}
