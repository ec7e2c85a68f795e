/** What the operator knows about each control plane, for metrics. */
import type { Karmada } from '../../api/karmada.ts';
import type { EtcdResult } from '../../etcd/member-status.ts';
import { keyOf, keyText } from '../../kubernetes/objects/resources.ts';
import type { ManagementCluster } from '../../host-clusters/host.ts';
import type { InstanceCaches } from '../../instance/instance-cache.ts';
import type { CertificatesView } from '../../instance/snapshot.ts';

/** Facts of one control plane. A changed fact is a new object, so readers can keep what they derive from it. */
export interface ControlPlaneFacts {
  /** From the cache. */
  readonly karmada: Karmada;
  /** As of the last reconcile of this process. */
  readonly certificates?: CertificatesView;
  /** Reason of each blocked change, as of the last reconcile of this process. */
  readonly blocked?: readonly string[];
  /** Results of the last probes of its local etcd members. */
  readonly etcd: readonly EtcdResult[];
}

interface Sources {
  readonly local: Pick<ManagementCluster, 'karmadas'>;
  readonly instances: Pick<InstanceCaches, 'peek'>;
  readonly etcdMembers: { results(key: string): readonly EtcdResult[] };
}

/** Returns the facts of all Karmada objects in the cache. Reads only memory. */
export function controlPlaneFacts({
  local,
  instances,
  etcdMembers,
}: Sources): readonly ControlPlaneFacts[] {
  return local.karmadas.cache.list().map((karmada) => {
    const key = keyText(keyOf(karmada));
    const { certificates, blocked } = instances.peek(key) ?? {};
    return {
      karmada,
      ...(certificates && { certificates: certificates.view }),
      ...(blocked && { blocked }),
      etcd: etcdMembers.results(key),
    };
  });
}
