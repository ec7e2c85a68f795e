import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { attempt, run } from './command.ts';
import type { ControlGroups } from './cgroups.ts';
import { Failure } from './failure.ts';
import type { Addresses } from './slot.ts';

/**
 * The machine as the cluster's programs see it: a network namespace and a mount namespace of their own. Both live
 * as long as a process is in them, so nothing of them can be left behind when the last one has ended.
 */
export interface Node {
  directory: string;
  groups: ControlGroups;
  /** Process that holds the namespaces. */
  holder: number;
}

/** Kernel settings of the whole machine that the kubelet would overwrite; it gets plain files in their place. */
const shieldedSettings: Readonly<Record<string, string>> = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
};

/** Directories of the machine in which programs write at fixed paths; the cluster gets its own. */
const ownDirectories: Readonly<Record<string, string>> = {
  '/run': 'run',
  '/var/log': 'var-log',
  '/var/lib/cni': 'var-lib-cni',
};

/** Arguments pass through the shell as positional parameters, never as text. */
const enterGroup = 'echo $$ > "$1" || exit 1; shift; exec "$@"';

/**
 * Command line that runs a command in the control group of that cgroup.procs file, so that it ends with the
 * cluster even when whoever called it was killed.
 */
const inGroup = (procs: string, command: readonly string[]): string[] => [
  ...['/bin/sh', '-c', enterGroup, 'sh', procs],
  ...command,
];

/** Starts a program that outlives this process. */
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

/** The namespaces' holder of a running cluster, or undefined. */
export function findNode(directory: string, groups: ControlGroups): Node | undefined {
  const [holder] = groups.processes('holder');
  return holder === undefined ? undefined : { directory, groups, holder };
}

const inNamespaces = (node: Node, command: readonly string[]): string[] => [
  ...['nsenter', `--target=${String(node.holder)}`, '--mount', '--net', '--'],
  ...command,
];

/** Command line that runs a command in the node's namespaces; it ends with the cluster. */
export function inNode(node: Node, command: readonly string[]): string[] {
  return inGroup(node.groups.file('commands'), inNamespaces(node, command));
}

/** Command line that runs a command on the machine; it ends with the cluster. */
export function besideNode(node: Node, command: readonly string[]): string[] {
  return inGroup(node.groups.file('commands'), command);
}

/** Starts a program of the node under a name of its own; its output goes to `log/<name>.log`. */
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
  // A link of that name can only be left from a cluster that is being torn down: its peer has no holder any more.
  await attempt(['ip', 'link', 'del', link]);
  const pair = ['ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', target];
  await required(pair, 'a veth pair', 'veth');
  await run(['ip', 'addr', 'add', `${gateway}/24`, 'dev', link]);
  await run(['ip', 'link', 'set', link, 'up']);
  const inside = (...command: string[]): Promise<string> => run(inNode(node, command));
  await inside('ip', 'link', 'set', 'lo', 'up');
  await inside('ip', 'addr', 'add', `${address}/24`, 'dev', 'eth0');
  await inside('ip', 'link', 'set', 'eth0', 'up');
  // No default route: whatever tries to leave the machine fails at once. Services need a route to be looked up.
  await inside('ip', 'route', 'add', services, 'dev', 'eth0', 'src', address);
  await inside('ip', 'route', 'add', loadBalancers, 'dev', 'eth0', 'src', address);
  await run(['ip', 'route', 'add', loadBalancers, 'via', address, 'dev', link]);
  const bridge = inNode(node, ['ip', 'link', 'add', 'cni0', 'type', 'bridge']);
  await required(bridge, 'a bridge', 'bridge');
}

/** Gives the node addresses of the second family; they lead nowhere but to itself. */
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
  // Built in on some machines, and some have no modprobe: the setting below tells whether it is there.
  await attempt(['modprobe', 'br_netfilter']);
  const settings = [
    'net.ipv4.ip_forward=1',
    'net.bridge.bridge-nf-call-iptables=1',
    'net.ipv4.conf.all.route_localnet=1',
    // A connection whose peer is gone would else hold the namespace for minutes after the last process.
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
    // An empty directory is all that the machine itself may see of it.
    mkdirSync(path, { recursive: true });
    await mount('--bind', directory, path);
  }
}

/**
 * Makes the namespaces, held by `pause`, and joins them to the machine by a link.
 * @throws Failure that names the kernel feature which is missing
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
  // The holder is in its group before it has left the machine's namespaces.
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
        'the namespaces cannot be made',
        'run as root on a kernel with network namespaces',
      );
  }
  await arrangeMounts(node);
  await connect(node, options.addresses);
  await setKernelSettings(node);
  if (options.dualStack) await addIpv6(node, options.addresses);
  return node;
}
