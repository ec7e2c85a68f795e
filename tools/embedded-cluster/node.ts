import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { attempt, run } from './command.ts';
import { controlGroups, type ControlGroups } from './cgroups.ts';
import { nodeName } from './configuration.ts';
import { Failure } from './failure.ts';
import { clusterDirectory, nodeDirectory } from './slot.ts';

/**
 * A node of a cluster: a separate network namespace and mount namespace. The kernel removes both with their last
 * process, so no part of them can be left behind.
 */
export interface Node {
  /** Counted from 1. The first node also runs the control plane. */
  number: number;
  /** Name of the Node object. */
  name: string;
  directory: string;
  /** Path of the logs of its programs, without `<program>.log`. */
  logPrefix: string;
  groups: ControlGroups;
  /** ID of the process that keeps the namespaces open. */
  holder: number;
}

/** Kernel settings of the whole machine that the kubelet would overwrite. The node has plain files instead. */
const shieldedSettings: Readonly<Record<string, string>> = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
};

/** Directories in which programs write at fixed paths. Each cluster has its own. */
const ownDirectories: Readonly<Record<string, string>> = {
  '/run': 'run',
  '/var/log': 'var-log',
  '/var/lib/cni': 'var-lib-cni',
  '/var/lib/kubelet': 'var-lib-kubelet',
};

/** Shell script that enters a cgroup. Arguments are positional parameters, so the shell never parses them. */
const enterGroup = 'echo $$ > "$1" || exit 1; shift; exec "$@"';

/**
 * Returns a command line that runs a command in the cgroup of that cgroup.procs file. The command then ends with the
 * cluster, even if its parent process was killed.
 */
const inGroup = (procs: string, command: readonly string[]): string[] => [
  '/bin/sh',
  '-c',
  enterGroup,
  'sh',
  procs,
  ...command,
];

/** Starts a program that continues after this process exits. */
function spawnDetached(command: readonly string[], log: string): void {
  const [file = '', ...args] = command;
  const output = openSync(log, 'a');
  const child = spawn(file, args, {
    detached: true,
    stdio: ['ignore', output, output],
    cwd: '/',
    // The program outlives the folder for temporary files of a test.
    env: { ...process.env, TMPDIR: undefined },
  });
  child.on('error', () => undefined);
  child.unref();
  closeSync(output);
}

async function awaitProcess(groups: ControlGroups, name: string): Promise<number> {
  for (const began = Date.now(); Date.now() - began < 10_000; await delay(10)) {
    const [first] = groups.processes(name);
    if (first !== undefined) return first;
  }
  throw new Error(`${name} did not start`);
}

/** Returns a node before its namespaces exist. All logs of a cluster are in one folder. */
function newNode(cluster: string, number: number): Omit<Node, 'holder'> {
  const logs = join(clusterDirectory(cluster), 'log');
  return {
    number,
    name: nodeName(cluster, number),
    directory: nodeDirectory(cluster, number),
    logPrefix: number === 1 ? `${logs}/` : `${logs}/node-${String(number)}-`,
    groups: controlGroups(cluster, number),
  };
}

/** Returns a node of a running cluster, or undefined if no process holds its namespaces. */
export function findNode(cluster: string, number = 1): Node | undefined {
  const node = newNode(cluster, number);
  const [holder] = node.groups.processes('holder');
  return holder === undefined ? undefined : { ...node, holder };
}

const inNamespaces = (node: Node, command: readonly string[]): string[] => [
  'nsenter',
  `--target=${String(node.holder)}`,
  '--mount',
  '--net',
  '--',
  ...command,
];

/** Returns a command line that runs a command in the namespaces of the node; the command ends with the cluster. */
export function inNode(node: Node, command: readonly string[]): string[] {
  return inGroup(node.groups.file('commands'), inNamespaces(node, command));
}

/** Returns a command line that runs a command on the machine; the command ends with the cluster. */
export function besideNode(node: Node, command: readonly string[]): string[] {
  return inGroup(node.groups.file('commands'), command);
}

/**
 * Starts a program of the node under a unique name. Its output goes to `log/<name>.log`, or to
 * `log/node-<number>-<name>.log` if this is not the first node.
 */
export function startInNode(
  node: Node,
  name: string,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): void {
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const inside = inNamespaces(node, ['env', ...variables, ...command]);
  spawnDetached(inGroup(node.groups.prepare(name), inside), `${node.logPrefix}${name}.log`);
}

async function arrangeMounts(node: Node): Promise<void> {
  const mount = (...args: string[]): Promise<string> => run(inNode(node, ['mount', ...args]));
  await mount('--make-rshared', '/');
  for (const [setting, value] of Object.entries(shieldedSettings)) {
    const file = join(node.directory, 'settings', setting.replaceAll('/', '.'));
    writeFileSync(file, `${value}\n`);
    await mount('--bind', file, `/proc/sys/${setting}`);
  }
  for (const [path, own] of Object.entries(ownDirectories)) {
    const directory = join(node.directory, own);
    mkdirSync(directory, { recursive: true });
    // The mount needs an empty directory on the machine.
    mkdirSync(path, { recursive: true });
    await mount('--bind', directory, path);
  }
}

/**
 * Creates the namespaces of a node, which `pause` keeps open.
 * @throws Failure if the kernel cannot create them
 */
export async function createNode(cluster: string, number: number, pause: string): Promise<Node> {
  const planned = newNode(cluster, number);
  const { directory, groups, logPrefix } = planned;
  for (const path of [dirname(`${logPrefix}holder`), join(directory, 'settings')])
    mkdirSync(path, { recursive: true });
  groups.prepare('commands');
  const unshare = ['unshare', '--mount', '--net', '--propagation', 'private', '--', pause];
  spawnDetached(inGroup(groups.prepare('holder'), unshare), `${logPrefix}holder.log`);
  const node = { ...planned, holder: await awaitProcess(groups, 'holder') };
  // The holder enters its cgroup before it leaves the namespaces of the machine.
  const separate = [
    'sh',
    '-c',
    'test "$(readlink /proc/$1/ns/net)" != "$(readlink /proc/self/ns/net)"',
    'sh',
  ];
  for (
    const began = Date.now();
    (await attempt([...separate, String(node.holder)])).code !== 0;
    await delay(10)
  ) {
    if (Date.now() - began > 10_000)
      throw new Failure(
        'cannot create the namespaces',
        'run as root on a kernel with network namespaces',
      );
  }
  await arrangeMounts(node);
  return node;
}
