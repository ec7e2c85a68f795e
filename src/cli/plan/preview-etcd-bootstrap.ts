/** Whether a preview may assume that an etcd has no data of a user: pure. */
import { etcdPods } from '../../etcd-cluster/pods/etcd-pods.ts';
import { etcdRecordOf, hasServed } from '../../features/etcd-bootstrap/bootstrap.ts';
import type { EtcdBootstrap } from '../../instance/etcd-bootstrap.ts';
import { neverServed } from '../../features/etcd-bootstrap/never-served.ts';
import { etcdWorkload, runningMembership } from '../../features/etcd-storage/plan-etcd.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

/**
 * Returns that no API server of the control plane has ever served, from the facts that the operator uses, so that the
 * operator restarts members whose data is in their Pods. A preview queries no member.
 * @returns undefined if the facts do not show it
 */
export function previewEtcdBootstrap(
  subject: Pick<Snapshot, 'karmada' | 'host'>,
): EtcdBootstrap | undefined {
  const live = etcdWorkload(subject);
  const membership = runningMembership(live);
  if (live === undefined || membership === undefined) return undefined;
  const isUnused = neverServed(subject, {
    live,
    record: etcdRecordOf(subject),
    members: etcdPods(subject.host.pods),
    hasServed: hasServed(subject),
    clusterIdentity: { kind: 'unseen' },
  });
  return isUnused ? { membership, neverServed: true } : undefined;
}
