import { attempt, run } from './command.ts';
import { lock } from './lock.ts';
import { findNode, inNode, type Node } from './node.ts';
import { addressesOf, clusterNames, slotOf, type Addresses } from './slot.ts';

/** Node and addresses of a cluster, for the links to other clusters of the machine. */
interface Neighbour {
  readonly name: string;
  readonly node: Node;
  readonly addresses: Addresses;
}

/** Prefix of the names of the network interfaces to other clusters. */
export const neighbourLinks = 'neighbour';

/** Returns the name of the network interface of the link to the cluster in that slot. */
const linkTo = ({ slot }: Addresses): string => `${neighbourLinks}${String(slot)}`;

function otherNodes(name: string): Neighbour[] {
  return clusterNames().flatMap((other) => {
    const slot = slotOf(other);
    if (other === name || slot === undefined) return [];
    const node = findNode(other);
    return node === undefined ? [] : [{ name: other, node, addresses: addressesOf(slot) }];
  });
}

/** Adds routes to the node (API server, node ports) and load balancers of the other cluster. */
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
  // Remove the link of a previous cluster in this slot that is still terminating.
  await attempt(inNode(other.node, ['ip', 'link', 'del', device]));
  const peer = ['peer', 'name', linkTo(other.addresses), 'netns', target];
  const added = await attempt(
    inNode(other.node, ['ip', 'link', 'add', device, 'type', 'veth', ...peer]),
  );
  // A cluster that is removed at this moment needs no link.
  if (added.code !== 0 && findNode(other.name) === undefined) return;
  if (added.code !== 0) throw new Error(`link between clusters: ${added.stderr.trim()}`);
  await addRoutes(own, other);
  await addRoutes(other, own);
}

/**
 * Links the node of a cluster with the nodes of all running clusters. Each cluster then reaches the API server, node
 * ports and load balancers of the others, without IP forwarding on the machine. A link ends with either of its nodes.
 */
export async function linkNeighbours(
  name: string,
  node: Node,
  addresses: Addresses,
): Promise<void> {
  const held = await lock('neighbours', () => undefined);
  try {
    for (const other of otherNodes(name)) await link({ name, node, addresses }, other);
  } finally {
    held.release();
  }
}
