import { attempt, run } from './command.ts';
import { allNodeSettings, nodeSettings, type ClusterSettings } from './configuration.ts';
import { Failure } from './failure.ts';
import { createNode, inNode, type Node } from './node.ts';
import { linkNeighbours, neighbourLinks } from './other-clusters.ts';
import { nodeAddress, type Addresses } from './slot.ts';

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

async function addBridge(node: Node): Promise<void> {
  const bridge = inNode(node, ['ip', 'link', 'add', 'cni0', 'type', 'bridge']);
  await required(bridge, 'a bridge', 'bridge');
}

/** Links the first node to the machine. */
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
  await addBridge(node);
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

/**
 * Links another node to the first node, which routes all its packets. Packets to foreign addresses also go there, and
 * connections fail at once, because the first node has no default route.
 */
async function connectToFirst(first: Node, node: Node, settings: ClusterSettings): Promise<void> {
  const { addresses } = settings;
  const [gateway, address] = [addresses.node, nodeAddress(addresses, node.number)];
  const device = `node${String(node.number)}`;
  const onFirst = (...command: string[]): Promise<string> => run(inNode(first, command));
  const inside = (...command: string[]): Promise<string> => run(inNode(node, command));
  const peer = ['peer', 'name', 'eth0', 'netns', String(node.holder)];
  await onFirst('ip', 'link', 'add', device, 'type', 'veth', ...peer);
  await onFirst('ip', 'addr', 'add', gateway, 'peer', address, 'dev', device);
  await onFirst('ip', 'link', 'set', device, 'up');
  await inside('ip', 'link', 'set', 'lo', 'up');
  await inside('ip', 'addr', 'add', address, 'peer', gateway, 'dev', 'eth0');
  await inside('ip', 'link', 'set', 'eth0', 'up');
  await inside('ip', 'route', 'add', 'default', 'via', gateway, 'dev', 'eth0', 'src', address);
  for (const range of nodeSettings(settings, node.number).podRanges)
    await onFirst('ip', 'route', 'add', range, 'via', address, 'dev', device);
  await run(['ip', 'route', 'add', address, 'via', gateway, 'dev', addresses.link]);
  await addBridge(node);
}

/**
 * Creates all nodes of a cluster with their links to the machine, to each other and to other clusters.
 * @returns the first node and the others
 * @throws Failure that names a missing kernel feature
 */
export async function createNodes(
  settings: ClusterSettings,
  pause: string,
): Promise<[Node, ...Node[]]> {
  const { name, addresses, dualStack } = settings;
  const first = await createNode(name, 1, pause);
  await connect(first, addresses);
  await setKernelSettings(first);
  if (dualStack) await addIpv6(first, addresses);
  await linkNeighbours(name, first, addresses);
  const others: Node[] = [];
  for (const { number } of allNodeSettings(settings).slice(1)) {
    const node = await createNode(name, number, pause);
    await connectToFirst(first, node, settings);
    await setKernelSettings(node);
    others.push(node);
  }
  return [first, ...others];
}

/**
 * Returns the iptables rules of a node for source addresses that are unknown to the receiver: those of Pods outside the
 * Pods of the cluster, and those of the other nodes in other clusters. The single node of a cluster needs none, because
 * its CNI plugin adds them.
 */
export function masqueradeRules(settings: ClusterSettings, number: number): string[][] {
  const { addresses, nodes } = settings;
  if (nodes === 1) return [];
  const masquerade = ['-j', 'MASQUERADE'];
  const pods = nodeSettings(settings, number).podRanges.map((range) => [
    '-s',
    range,
    '!',
    '-d',
    addresses.pods,
    ...masquerade,
  ]);
  const outside = ['-s', addresses.nodeRange, '-o', `${neighbourLinks}+`, ...masquerade];
  return number === 1 ? [...pods, outside] : pods;
}

/**
 * Adds the rules of `masqueradeRules` to a node.
 * @param path PATH with the iptables variant of the kernel
 */
export async function addMasquerade(
  settings: ClusterSettings,
  node: Node,
  path: string,
): Promise<void> {
  for (const rule of masqueradeRules(settings, node.number)) {
    const iptables = ['iptables', '-w', '-t', 'nat', '-A', 'POSTROUTING', ...rule];
    await run(inNode(node, ['env', `PATH=${path}`, ...iptables]));
  }
}
