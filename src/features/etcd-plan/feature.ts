import type { Feature, StatusInput } from '../../actions/feature.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { etcdClusterStatus } from './etcd-cluster-status.ts';
import { etcdConditions } from './etcd-conditions.ts';
import { etcdHealth, UNASKED, withEtcdHealth } from './etcd-health.ts';

const isPending = (snapshot: Snapshot): boolean => etcdHealth(snapshot).state === 'pending';

/** Summary of a local etcd, and what its members report. */
function statusFields({
  snapshot,
  before,
}: Pick<StatusInput, 'snapshot' | 'before'>): Pick<KarmadaStatus, 'etcd' | 'etcdCluster'> {
  if (snapshot.spec.components.etcd.local === undefined) return {};
  const etcdCluster = etcdClusterStatus(snapshot, before.etcdCluster);
  return { etcd: etcdHealth(snapshot).summary, ...(etcdCluster && { etcdCluster }) };
}

/** The health of a local etcd. */
export const etcd = {
  name: 'etcd',
  derive: withEtcdHealth,
  isPending,
  unfinished: ({ snapshot }) => (isPending(snapshot) ? [{ step: 'etcd', message: UNASKED }] : []),
  conditions: ({ snapshot, before }) => etcdConditions(snapshot, before),
  statusFields,
} satisfies Feature<unknown>;
