import type { ObserveContext, SpecFacts } from '../../actions/observers.ts';
import {
  nodesNamedIn,
  readVolumes,
  withoutStarting,
} from '../../etcd-cluster/pods/read-volumes.ts';
import { etcdPods } from '../../etcd-cluster/pods/etcd-pods.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { HOSTNAME } from '../../kubernetes/objects/node.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import { storageOf } from '../etcd-bootstrap/bootstrap.ts';
import { observeEtcdMembers, type EtcdMemberTools } from './etcd-members.ts';

export interface EtcdReaders extends EtcdMemberTools {
  readonly host: Pick<Host, 'client' | 'nodes' | 'remote'>;
}

/** Reads the members of a local etcd, and the volumes of those that are down. If these cannot be read, they are unknown. */
export async function observeLocalEtcd(
  { tools, instance }: ObserveContext<EtcdReaders>,
  seen: SpecFacts,
): Promise<Pick<Snapshot, 'etcd' | 'etcdVolumes' | 'etcdHostName'>> {
  const { client, nodes } = tools.host;
  const etcd = observeEtcdMembers(tools, instance.key, seen);
  if (etcd === undefined) return {};
  // Without Nodes, a volume would seem to be on a node that is gone.
  if (nodes === undefined) return { etcd };
  const known = { etcd, ...optionalField('etcdHostName', hostNameOf(nodes, seen)) };
  const named = nodesNamedIn(nodes.cache.list());
  const pods = withoutStarting(seen.host.pods, seen.now);
  return readVolumes(client, { ...seen.host, pods }, named).then(
    (etcdVolumes) => ({ ...known, etcdVolumes }),
    () => known,
  );
}

/** Host name of the node with the data of a single member on a hostPath. */
function hostNameOf(
  { cache }: NonNullable<EtcdReaders['host']['nodes']>,
  { spec, host }: Pick<SpecFacts, 'spec' | 'host'>,
): string | undefined {
  const [pod, ...others]: readonly Pod[] = etcdPods(host.pods);
  const name = pod?.spec?.nodeName;
  if (storageOf({ spec }) !== 'hostPath' || name === undefined || others.length > 0)
    return undefined;
  return cache.get({ name })?.metadata.labels?.[HOSTNAME];
}
