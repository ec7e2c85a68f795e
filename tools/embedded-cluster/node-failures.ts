import { killAll } from './cgroups.ts';
import { kubectl, type Cluster } from './cluster.ts';
import type { Node } from './node.ts';
import { poll } from './poll.ts';

/** Returns a node that can fail. The first node cannot, because it runs the control plane. */
function otherNode({ name, otherNodes }: Cluster, node: string): Node {
  const found = otherNodes.find((other) => other.name === node);
  if (found !== undefined) return found;
  const names = otherNodes.map((other) => other.name).join(', ') || 'none';
  throw new Error(`cluster ${name}: node ${node} cannot fail; nodes that can fail: ${names}`);
}

/**
 * Freezes all processes of a node: its programs and its Pods. The network of the node stays, so connections to the Pods
 * hang. The Node object becomes NotReady after the grace period of kube-controller-manager.
 * @param node name of the Node object
 * @throws Error if this is the first node or no running node of the cluster
 */
export async function freezeNode(cluster: Cluster, node: string): Promise<void> {
  const { groups } = otherNode(cluster, node);
  groups.setFrozen(true);
  await poll(`node ${node} is frozen`, async () => (groups.isFrozen() ? true : undefined), {
    intervalMs: 10,
  });
}

/**
 * Thaws a frozen node; another node stays as it is.
 * @param node name of the Node object
 * @throws Error if this is the first node or no running node of the cluster
 */
export async function thawNode(cluster: Cluster, node: string): Promise<void> {
  const { groups } = otherNode(cluster, node);
  groups.setFrozen(false);
  await poll(`node ${node} is thawed`, async () => (groups.isFrozen() ? undefined : true), {
    intervalMs: 10,
  });
}

/**
 * Removes a node permanently, frozen or not: kills its programs and the processes of its Pods, then deletes the Node
 * object. PersistentVolumes of the node stay and cannot be used, as in clusters with local disks. The next `up` creates
 * the cluster again.
 * @param node name of the Node object
 * @throws Error if this is the first node or no running node of the cluster
 */
export async function removeNode(cluster: Cluster, node: string): Promise<void> {
  await killAll(otherNode(cluster, node).groups);
  await kubectl(cluster, ['delete', 'node', node, '--ignore-not-found']);
}
