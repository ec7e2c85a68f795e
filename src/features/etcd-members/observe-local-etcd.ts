import type { ObserveContext, SpecFacts } from '../../actions/observers.ts';
import {
  nodesNamedIn,
  readVolumes,
  withoutStarting,
} from '../../etcd-cluster/pods/read-volumes.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { observeEtcdMembers, type EtcdMemberTools } from './etcd-members.ts';

export interface EtcdReaders extends EtcdMemberTools {
  readonly host: Pick<Host, 'client' | 'nodes' | 'remote'>;
}

/** Reads the members of a local etcd, and the volumes of those that are down. If these cannot be read, they are unknown. */
export async function observeLocalEtcd(
  { tools, instance }: ObserveContext<EtcdReaders>,
  seen: SpecFacts,
): Promise<Pick<Snapshot, 'etcd' | 'etcdVolumes'>> {
  const { client, nodes } = tools.host;
  const etcd = observeEtcdMembers(tools, instance.key, seen);
  if (etcd === undefined) return {};
  // Without Nodes, a volume would seem to be on a node that is gone.
  if (nodes === undefined) return { etcd };
  const named = nodesNamedIn(nodes.cache.list());
  const pods = withoutStarting(seen.host.pods, seen.now);
  return readVolumes(client, { ...seen.host, pods }, named).then(
    (etcdVolumes) => ({ etcd, etcdVolumes }),
    () => ({ etcd }),
  );
}
