import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { attempt, run } from './command.ts';
import type { ControlGroups } from './cgroups.ts';
import { Failure } from './failure.ts';
import type { Addresses } from './slot.ts';

/**
 * The node of a cluster: a separate network namespace and mount namespace. The kernel removes both with their last
 * process, so no part of them can be left behind.
 */
export interface Node {
  directory: string;
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
};

/** Shell script that enters a cgroup. Arguments are positional parameters, so the shell never parses them. */
const enterGroup = 'echo $$ > "$1" || exit 1; shift; exec "$@"';

/**
 * Returns a command line that runs a command in the cgroup of that cgroup.procs file. The command then ends with the
 * cluster, even if its parent process was killed.
 */
const inGroup = (procs: string, command: readonly string[]): string[] => [
  ...['/bin/sh', '-c', enterGroup, 'sh', procs],
  ...command,
];

/** Starts a program that continues after this process exits. */
function spawnDetached(command: readonly string[], log: string): void {
  const [file = '', ...args] = command;
  const output = openSync(log, 'a');
  const child = spawn(file, args, { detached: true, stdio: ['ignore', output, output], cwd: '/' });
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

/** Returns the node of a running cluster, or undefined if no process holds its namespaces. */
export function findNode(directory: string, groups: ControlGroups): Node | undefined {
  const [holder] = groups.processes('holder');
  return holder === undefined ? undefined : { directory, groups, holder };
}

const inNamespaces = (node: Node, command: readonly string[]): string[] => [
  ...['nsenter', `--target=${String(node.holder)}`, '--mount', '--net', '--'],
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

/** Starts a program of the node under a unique name. Its output goes to `log/<name>.log`. */
export function startInNode(
  node: Node,
  name: string,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): void {
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const log = join(node.directory, 'log', `${name}.log`);
  const inside = inNamespaces(node, ['env', ...variables, ...command]);
  spawnDetached(inGroup(node.groups.prepare(name), inside), log);
}

async function required(
  command: readonly string[],
  feature: string,
  modules: string,
): Promise<void> {
  const result = await attempt(command);
  if (result.code === 0) return;
  throw new Failure(
    `the kernel refuses ${feature} (${result.stderr.trim().split('\n').at(-1) ?? ''})`,
    `load or build in ${modules}`,
  );
}

async function connect(node: Node, addresses: Addresses): Promise<void> {
  const { link, gateway, node: address, services, loadBalancers } = addresses;
  const target = String(node.holder);
  // An existing link of that name belongs to a cluster that is being removed.
  await attempt(['ip', 'link', 'del', link]);
  const pair = ['ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', target];
  await required(pair, 'a veth pair', 'veth');
  await run(['ip', 'addr', 'add', `${gateway}/24`, 'dev', link]);
  await run(['ip', 'link', 'set', link, 'up']);
  const inside = (...command: string[]): Promise<string> => run(inNode(node, command));
  await inside('ip', 'link', 'set', 'lo', 'up');
  await inside('ip', 'addr', 'add', `${address}/24`, 'dev', 'eth0');
  await inside('ip', 'link', 'set', 'eth0', 'up');
  // No default route, so connections out of the machine fail at once. Service addresses need a route anyway.
  await inside('ip', 'route', 'add', services, 'dev', 'eth0', 'src', address);
  await inside('ip', 'route', 'add', loadBalancers, 'dev', 'eth0', 'src', address);
  await run(['ip', 'route', 'add', loadBalancers, 'via', address, 'dev', link]);
  const bridge = inNode(node, ['ip', 'link', 'add', 'cni0', 'type', 'bridge']);
  await required(bridge, 'a bridge', 'bridge');
}

/** Adds IPv6 addresses to the node. They are reachable only inside the cluster. */
async function addIpv6(node: Node, { ipv6 }: Addresses): Promise<void> {
  const settings = [
    'net.ipv6.conf.all.disable_ipv6=0',
    'net.ipv6.conf.default.disable_ipv6=0',
    'net.ipv6.conf.all.forwarding=1',
    'net.bridge.bridge-nf-call-ip6tables=1',
  ];
  await required(inNode(node, ['sysctl', '-qw', ...settings]), 'IPv6 in a namespace', 'ipv6');
  const inside = (...command: string[]): Promise<string> => run(inNode(node, command));
  await inside('ip', 'addr', 'add', `${ipv6.node}/80`, 'dev', 'eth0', 'nodad');
  await inside('ip', 'route', 'add', ipv6.services, 'dev', 'eth0', 'src', ipv6.node);
}

async function setKernelSettings(node: Node): Promise<void> {
  // The result is ignored: the module can be built in, or modprobe can be missing. The sysctl below checks it.
  await attempt(['modprobe', 'br_netfilter']);
  const settings = [
    'net.ipv4.ip_forward=1',
    'net.bridge.bridge-nf-call-iptables=1',
    'net.ipv4.conf.all.route_localnet=1',
    // Otherwise a connection without a peer keeps the namespace for minutes after the last process.
    'net.ipv4.tcp_orphan_retries=1',
    'net.ipv4.tcp_fin_timeout=5',
  ];
  const command = inNode(node, ['sysctl', '-qw', ...settings]);
  await required(command, 'its network settings', 'br_netfilter');
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
 * Creates the namespaces, which `pause` keeps open, and links them to the machine.
 * @throws Failure that names a missing kernel feature
 */
export async function createNode(
  directory: string,
  groups: ControlGroups,
  options: { pause: string; addresses: Addresses; dualStack: boolean },
): Promise<Node> {
  for (const name of ['log', 'settings']) mkdirSync(join(directory, name), { recursive: true });
  groups.prepare('commands');
  const unshare = ['unshare', '--mount', '--net', '--propagation', 'private', '--', options.pause];
  spawnDetached(inGroup(groups.prepare('holder'), unshare), join(directory, 'log', 'holder.log'));
  const node = { directory, groups, holder: await awaitProcess(groups, 'holder') };
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
  await connect(node, options.addresses);
  await setKernelSettings(node);
  if (options.dualStack) await addIpv6(node, options.addresses);
  return node;
}
