import { withUpdatedMembers } from '../etcd-cluster/pods/membership.ts';
import { hostFactsOf } from '../host-clusters/host-facts.ts';
import { ownedBy, type Host } from '../host-clusters/host.ts';
import type { InformerGroup } from '../kubernetes/informers/informer-group.ts';
import { isNodeReady } from '../kubernetes/objects/node.ts';
import type { Pod } from '../kubernetes/objects/pod-kinds.ts';
import { claimsByUse } from './claims-by-use.ts';
import type { HostSnapshot } from './snapshot.ts';

/** Returns what the caches of a host cluster contain of a control plane. @param key `namespace/name` of the Karmada */
export function hostSnapshotOf(host: Host, key: string): HostSnapshot {
  const pods = ownedBy([host.pods], key);
  const name = key.slice(key.indexOf('/') + 1);
  const objects = withUpdatedMembers(ownedBy(host.owned, key), pods, name);
  const claims = ownedBy([host.claims], key);
  const storageClasses = host.storageClasses?.cache.list();
  const byUse = claimsByUse(name, objects, claims);
  const nodes = host.nodes && { unreadyNodes: unreadyNodes(pods, host.nodes.cache) };
  const { ipFamily } = hostFactsOf(host);
  return {
    objects,
    pods,
    ...nodes,
    ...byUse,
    ...(ipFamily !== undefined && { ipFamily }),
    ...(storageClasses && { storageClasses }),
  };
}

/** Names of the nodes that run these Pods and do not report that they are ready. */
function unreadyNodes(
  pods: readonly Pod[],
  nodes: Pick<InformerGroup['cache'], 'get'>,
): readonly string[] {
  const names = pods.map((pod) => pod.spec?.nodeName);
  return [...new Set(names)].filter((name): name is string => {
    const node = name === undefined ? undefined : nodes.get({ name });
    return node !== undefined && !isNodeReady(node);
  });
}
