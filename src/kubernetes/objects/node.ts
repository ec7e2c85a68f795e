/** Facts about Node objects: pure. */
import type { Node } from './kinds.ts';
import { conditionOf, identifying, type KubernetesObject } from './object.ts';

/** Label of a Node with its host name. Volumes on local disks require it. */
export const HOSTNAME = 'kubernetes.io/hostname';

/** Taint with which a user states that a node is shut down. Kubernetes then deletes its Pods by force. */
export const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/** Whether the kubelet of a Node reports that it is ready. */
export const isNodeReady = (node: KubernetesObject): boolean =>
  conditionOf(node, 'Ready')?.status === 'True';

/** Whether a Node has the taint of a node that was shut down. */
export function isOutOfService({ spec = {} }: Node): boolean {
  return spec.taints?.some(({ key }) => key === OUT_OF_SERVICE) === true;
}

/** Reduces a Node for the cache to labels, addresses, taints and readiness. Heartbeats change the rest constantly. */
export function reduceNode(node: Node): Node {
  const { addresses } = node.status ?? {};
  const { taints } = node.spec ?? {};
  const ready = conditionOf(node, 'Ready');
  const { labels } = node.metadata;
  return {
    apiVersion: node.apiVersion,
    kind: node.kind,
    metadata: {
      ...identifying(node.metadata),
      ...(labels !== undefined && { labels }),
    },
    ...(taints && { spec: { taints: taints.map(({ key }) => ({ key })) } }),
    status: {
      addresses,
      ...(ready && { conditions: [{ type: 'Ready', status: ready.status }] }),
    },
  };
}
