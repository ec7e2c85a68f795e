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
import { errorCode } from '../../src/kubernetes/objects/records.ts';

/**
 * The cgroups of one node. Those of the first node contain the cgroups of all nodes of its cluster. They identify all
 * processes, because the kernel can reuse a stored process ID for another process, but membership in a cgroup is always
 * current.
 */
export interface ControlGroups {
  /** Creates the cgroups if they are missing, and returns the cgroup.procs file for a process of that name. */
  prepare(process: string): string;
  /** The cgroup.procs file of a cgroup that `prepare` has created. */
  file(process: string): string;
  /** Process IDs in the cgroup that `prepare` has created for a process of that name. */
  processes(process: string): number[];
  /** Process IDs in all cgroups. */
  all(): number[];
  /** Requests that the kernel freezes all processes, or thaws them. It does so shortly afterwards. */
  setFrozen(frozen: boolean): void;
  /** Returns true if all processes are frozen. */
  isFrozen(): boolean;
  /** Removes the cgroups, which must not contain a process. */
  remove(): void;
}

const cgroupRoot = '/sys/fs/cgroup';
const cgroup2Magic = 0x63677270;

/** Returns the mount points of the version 1 hierarchies, or only the unified one. */
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

/** Returns the directory and all its subdirectories, children before parents. */
function tree(directory: string): string[] {
  if (!existsSync(directory)) return [];
  const below = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => tree(join(directory, entry.name)));
  return [...below, directory];
}

/** Copies the cpuset of the parent. A new cpuset cgroup of version 1 has no CPU and no memory node. */
function inheritCpuset(parent: string, child: string): void {
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    const own = join(child, file);
    if (existsSync(own) && readFileSync(own, 'utf8').trim() === '') {
      writeFileSync(own, readFileSync(join(parent, file)));
    }
  }
}

/** Enables controllers for child cgroups, which version 2 requires in each parent. Ignores missing controllers. */
function enableControllers(parent: string): void {
  const file = join(parent, 'cgroup.subtree_control');
  for (const controller of ['cpu', 'cpuset', 'memory', 'pids', 'io']) {
    try {
      writeFileSync(file, `+${controller}`);
    } catch {
      // Not available on this machine. The kubelet reports missing controllers.
    }
  }
}

/** Returns the path of the cgroup of a node, with a leading slash. It is the cgroup root of the kubelet. */
export function cgroupOf(cluster: string, node: number): string {
  const first = `/karmada-embedded-${cluster}`;
  return node === 1 ? first : join(first, `node-${String(node)}`);
}

/** Creates a cgroup, which is below that of its cluster or the same, in one hierarchy. */
function create(mount: string, unified: boolean, top: string): void {
  if (unified) enableControllers(mount);
  let parent = mount;
  for (const part of top.split('/').filter(Boolean)) {
    const directory = join(parent, part);
    mkdirSync(directory, { recursive: true });
    if (unified) enableControllers(directory);
    else inheritCpuset(parent, directory);
    parent = directory;
  }
}

/** Writes the requested state of a cgroup; one that the kernel has removed meanwhile needs none. */
function writeState(file: string, state: string): void {
  try {
    writeFileSync(file, state);
  } catch (error) {
    if (!['ENOENT', 'ENODEV'].includes(String(errorCode(error)))) throw error;
  }
}

/** Returns the freezer of a cgroup: cgroup.freeze of version 2, or the freezer controller of version 1. */
export function freezer(
  unified: boolean,
  directory: string,
): Pick<ControlGroups, 'setFrozen' | 'isFrozen'> {
  const [file, frozen, thawed] = unified
    ? (['cgroup.freeze', '1', '0'] as const)
    : (['freezer.state', 'FROZEN', 'THAWED'] as const);
  return {
    setFrozen(requested) {
      if (requested) writeFileSync(join(directory, file), frozen);
      // Containers and the other nodes below can be frozen on their own.
      else for (const below of tree(directory)) writeState(join(below, file), thawed);
    },
    isFrozen() {
      if (!existsSync(directory)) return false;
      if (!unified) return readFileSync(join(directory, file), 'utf8').trim() === frozen;
      return /^frozen 1$/m.test(readFileSync(join(directory, 'cgroup.events'), 'utf8'));
    },
  };
}

/** Returns the cgroups of a node, on machines with cgroup version 1 or 2. The first node has the number 1. */
export function controlGroups(cluster: string, node = 1): ControlGroups {
  const { unified, mounts } = hierarchies();
  const top = cgroupOf(cluster, node);
  const mountOf = (controller: string): string =>
    unified ? cgroupRoot : (mounts.find((path) => path.endsWith(`/${controller}`)) ?? '');
  // One hierarchy is sufficient to find processes. Every machine with version 1 has these two controllers. The kernel
  // freezes only processes in the freezer hierarchy. The first node, with the API server, is never frozen.
  const tracking = mountOf(node === 1 ? 'pids' : 'freezer') || (mounts[0] ?? '');
  const leaf = (process: string): string => join(tracking, top, 'node', process);
  const file = (process: string): string => join(leaf(process), 'cgroup.procs');
  return {
    prepare(process) {
      for (const mount of mounts) create(mount, unified, top);
      mkdirSync(leaf(process), { recursive: true });
      return file(process);
    },
    file,
    processes: (process) => processIds(file(process)),
    all: () =>
      mounts.flatMap((mount) =>
        tree(join(mount, top)).flatMap((directory) => processIds(join(directory, 'cgroup.procs'))),
      ),
    ...freezer(unified, join(mountOf('freezer'), top)),
    remove() {
      for (const mount of mounts)
        for (const directory of tree(join(mount, top))) rmdirSync(directory);
    },
  };
}

const KILL_TIMEOUT_MS = 30_000;

/**
 * Kills all processes of the cgroups, waits until they have exited, and removes the cgroups.
 * @throws Error with the IDs of processes that did not exit within the deadline
 */
export async function killAll(groups: ControlGroups): Promise<void> {
  for (const began = Date.now(); ;) {
    const left = groups.all();
    if (left.length === 0) break;
    if (Date.now() - began > KILL_TIMEOUT_MS) {
      throw new Error(
        `processes ${left.join(', ')} did not exit after SIGKILL; they wait for the kernel`,
      );
    }
    for (const id of new Set(left)) kill(id);
    // With version 1 a frozen process exits when it is thawed. It executes nothing, because the signal is pending.
    groups.setFrozen(false);
    await delay(50);
  }
  // The kernel releases an empty cgroup shortly after its last process has exited.
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

/** Ends a process, which may have ended already. */
export function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}
