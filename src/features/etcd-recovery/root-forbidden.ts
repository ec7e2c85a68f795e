/** Whether the members of a restored etcd may run as root, as those of the Go operator do: pure. */
import type { EtcdRecord } from '../../etcd-cluster/identity/record.ts';
import { ENFORCE } from '../../host-clusters/host-namespace.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { StatefulSet } from '../../kubernetes/objects/kinds.ts';
import { rootForbiddenBy } from '../etcd-members/adoption/restart-facts.ts';
import { isEtcdFromGo } from '../etcd-members/member-facts.ts';

/**
 * Returns why the restored members would not start. With another user in the spec, they have it from their first file on.
 * @returns undefined if they would, and for an etcd that this operator created
 */
export function rootForbidden(
  subject: Pick<Snapshot, 'karmada' | 'spec' | 'tenantPods' | 'podSecurity'>,
  statefulSet: StatefulSet | undefined,
  record: EtcdRecord | undefined,
): string | undefined {
  const by = isEtcdFromGo(record, statefulSet) ? rootForbiddenBy(subject) : undefined;
  if (by === undefined || by === 'podSettings') return undefined;
  const { namespace = '' } = subject.karmada.metadata;
  const why =
    by === 'tenantPods'
      ? '--tenant-pods=Restricted'
      : `the label ${ENFORCE}=restricted of the Namespace ${namespace}`;
  return `the Go operator created etcd, so the restored one would run as root too, which ${why} forbids; set runAsUser: 65532 and runAsNonRoot: true of etcd in spec.podSettings`;
}
