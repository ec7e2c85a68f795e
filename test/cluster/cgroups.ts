import {
  readdirSync,
  readFileSync,
  rmdirSync,
  statfsSync,
  writeFileSync,
  existsSync,
  mkdirSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * The control groups of one cluster. Every process of the cluster lives below them, so they are how it is found
 * again: a number in a file could by now belong to a stranger, membership in a group cannot.
 */
export interface ControlGroups {
  /** Path that the kubelet gets as its cgroup root, with a leading slash. */
  kubeletRoot: string;
  /** Makes the groups (again) and returns the cgroup.procs file that a process of that name enters. */
  prepare(process: string): string;
  /** The cgroup.procs file of a group that `prepare` made before. */
  file(process: string): string;
  /** Process ids in the group that `prepare` made for a process of that name. */
  processes(process: string): number[];
  /** Process ids anywhere below the cluster's groups. */
  all(): number[];
  /** Removes the groups; they must hold no process. */
  remove(): void;
}

const cgroupRoot = '/sys/fs/cgroup';
const cgroup2Magic = 0x63677270;

/** Mount points of the version 1 hierarchies, or just the unified one. */
function hierarchies(): { unified: boolean; mounts: string[] } {
  if (statfsSync(cgroupRoot).type === cgroup2Magic) return { unified: true, mounts: [cgroupRoot] };
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => line.split(' ')[4] ?? '')
    .filter((path) => path.startsWith(`${cgroupRoot}/`));
  return { unified: false, mounts };
}

function processIds(file: string): number[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** The directory and all below it, children before parents. */
function tree(directory: string): string[] {
  if (!existsSync(directory)) return [];
  const below = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => tree(join(directory, entry.name)));
  return [...below, directory];
}

/** A new cpuset group of version 1 holds no processor and no memory node until it is given some. */
function inheritCpuset(parent: string, child: string): void {
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    const own = join(child, file);
    if (existsSync(own) && readFileSync(own, 'utf8').trim() === '') {
      writeFileSync(own, readFileSync(join(parent, file)));
    }
  }
}

/** Version 2 hands a controller down only when each parent says so; what cannot be enabled stays as it is. */
function enableControllers(parent: string): void {
  const file = join(parent, 'cgroup.subtree_control');
  for (const controller of ['cpu', 'cpuset', 'memory', 'pids', 'io']) {
    try {
      writeFileSync(file, `+${controller}`);
    } catch {
      // Not available here: the kubelet names what it misses.
    }
  }
}

/** The control groups of the cluster of that name, on machines with version 1 or 2 of the interface. */
export function controlGroups(cluster: string): ControlGroups {
  const { unified, mounts } = hierarchies();
  const top = `karmada-embedded-${cluster}`;
  // One hierarchy is enough to find processes; every machine with version 1 has the pids controller.
  const tracking = unified
    ? cgroupRoot
    : (mounts.find((path) => path.endsWith('/pids')) ?? mounts[0] ?? '');

  const make = (): void => {
    for (const mount of mounts) {
      const directory = join(mount, top);
      mkdirSync(directory, { recursive: true });
      if (unified) [mount, directory].forEach(enableControllers);
      else inheritCpuset(mount, directory);
    }
  };
  const leaf = (process: string): string => join(tracking, top, 'node', process);
  const file = (process: string): string => join(leaf(process), 'cgroup.procs');
  return {
    kubeletRoot: `/${top}`,
    prepare(process) {
      make();
      mkdirSync(leaf(process), { recursive: true });
      return file(process);
    },
    file,
    processes: (process) => processIds(file(process)),
    all: () =>
      mounts.flatMap((mount) =>
        tree(join(mount, top)).flatMap((directory) => processIds(join(directory, 'cgroup.procs'))),
      ),
    remove() {
      for (const mount of mounts)
        for (const directory of tree(join(mount, top))) rmdirSync(directory);
    },
  };
}

const KILL_TIMEOUT_MS = 30_000;

/**
 * Kills every process of the groups and waits until none is left, then removes the groups.
 * @throws Error that names the processes which did not end within the deadline
 */
export async function killAll(groups: ControlGroups): Promise<void> {
  for (const began = Date.now(); ;) {
    const left = groups.all();
    if (left.length === 0) break;
    if (Date.now() - began > KILL_TIMEOUT_MS) {
      throw new Error(`processes ${left.join(', ')} do not end; they wait for the kernel`);
    }
    for (const id of new Set(left)) kill(id);
    await delay(50);
  }
  // The kernel frees an empty group a moment after its last process.
  for (let tries = 100; ; tries--) {
    try {
      groups.remove();
      return;
    } catch (error) {
      if (tries === 0) throw error;
      await delay(50);
    }
  }
}

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
