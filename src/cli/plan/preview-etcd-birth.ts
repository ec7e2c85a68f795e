/** Whether a preview may assume that an etcd has no data of a user: pure. */
import { etcdPods } from '../../reconcile/etcd/etcd-pods.ts';
import { backupIn, hasServed } from '../../reconcile/etcd/birth/birth.ts';
import type { EtcdBirth } from '../../reconcile/etcd/birth/etcd-birth.ts';
import { neverServed } from '../../reconcile/etcd/birth/never-served.ts';
import { recordIn } from '../../reconcile/etcd/birth/record.ts';
import { etcdWorkload, runningMembership } from '../../reconcile/etcd/plan-etcd.ts';
import type { Snapshot } from '../../reconcile/snapshot.ts';

/**
 * Returns that no API server of the control plane has ever served, from the facts that the operator uses, so that the
 * operator restarts members whose data is in their Pods. A preview queries no member.
 * @returns undefined if the facts do not show it
 */
export function previewEtcdBirth(
  subject: Pick<Snapshot, 'karmada' | 'host'>,
): EtcdBirth | undefined {
  const live = etcdWorkload(subject);
  const membership = runningMembership(live);
  if (live === undefined || membership === undefined) return undefined;
  const record = recordIn(backupIn(subject)?.metadata.annotations);
  const isUnused = neverServed(subject, {
    ...{ live, record: typeof record === 'object' ? record : undefined },
    ...{ members: etcdPods(subject.host.pods), hasServed: hasServed(subject) },
    agreement: { kind: 'unseen' },
  });
  return isUnused ? { membership, neverServed: true } : undefined;
}
