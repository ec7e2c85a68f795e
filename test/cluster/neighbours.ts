import { attempt, run } from './command.ts';
import { controlGroups } from './cgroups.ts';
import { lock } from './lock.ts';
import { findNode, inNode, type Node } from './node.ts';
import { addressesOf, clusterDirectory, clusterNames, slotOf, type Addresses } from './slot.ts';

/** A cluster as its neighbours see it. */
interface Neighbour {
  readonly node: Node;
  readonly addresses: Addresses;
}

/** Name of a node's end of the link to the cluster in that slot. */
const linkTo = ({ slot }: Addresses): string => `neighbour${String(slot)}`;

function otherNodes(name: string): Neighbour[] {
  return clusterNames().flatMap((other) => {
    const slot = slotOf(other);
    if (other === name || slot === undefined) return [];
    const node = findNode(clusterDirectory(other), controlGroups(other));
    return node === undefined ? [] : [{ node, addresses: addressesOf(slot) }];
  });
}

/** Of the other cluster its node, with the API server and node ports, and its load balancers; no pods, no Services. */
async function addRoutes(from: Neighbour, to: Neighbour): Promise<void> {
  const device = linkTo(to.addresses);
  const inside = (...command: string[]): Promise<string> => run(inNode(from.node, command));
  const { node, loadBalancers } = to.addresses;
  await inside('ip', 'addr', 'add', from.addresses.node, 'peer', node, 'dev', device);
  await inside('ip', 'link', 'set', device, 'up');
  await inside('ip', 'route', 'add', loadBalancers, 'via', node, 'dev', device);
}

async function link(own: Neighbour, other: Neighbour): Promise<void> {
  const target = String(own.node.holder);
  const device = linkTo(own.addresses);
  // What a cluster in this slot left that is just ending.
  await attempt(inNode(other.node, ['ip', 'link', 'del', device]));
  const peer = ['peer', 'name', linkTo(other.addresses), 'netns', target];
  const added = await attempt(
    inNode(other.node, ['ip', 'link', 'add', device, 'type', 'veth', ...peer]),
  );
  // A neighbour that is being taken down at this moment is none.
  if (added.code !== 0 && findNode(other.node.directory, other.node.groups) === undefined) return;
  if (added.code !== 0) throw new Error(`link between clusters: ${added.stderr.trim()}`);
  await addRoutes(own, other);
  await addRoutes(other, own);
}

/**
 * Links a cluster's node with those of all clusters that are up, so that each reaches the other's API server, node
 * ports and load balancers, without the machine forwarding anything. A link ends with either of its nodes.
 */
export async function linkNeighbours(
  name: string,
  node: Node,
  addresses: Addresses,
): Promise<void> {
  const held = await lock('neighbours', () => undefined);
  try {
    for (const other of otherNodes(name)) await link({ node, addresses }, other);
  } finally {
    held.release();
  }
}
