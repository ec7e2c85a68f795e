/** Reasons of lost or damaged etcd data. */
import { PROBLEM, reasonTable, rowsIn } from './reason.ts';

export const ETCD_DATA_REASONS = reasonTable([
  rowsIn(['EtcdReady', ...PROBLEM], 'a-lost-or-damaged-etcd-member')(
    'EtcdMemberDown',
    'node',
    'An etcd member is down and does not return by itself: its node is not ready or lost, its volume was deleted, or its data is corrupt.',
    'See "A lost or damaged etcd member" in docs/operate/troubleshoot.md. After spec.components.etcd.local.replacementGracePeriod the operator replaces the member, unless its Node object still exists.',
  ),
  rowsIn(PROBLEM)(
    'EtcdMemberLost',
    'volume',
    'An etcd member lost its data, and the other etcd members have no quorum. With a quorum the operator replaces the lost member.',
    'Start the etcd members that still have data. If they all run, recover from one of them, as in docs/operate/backup-restore.md.',
  ),
  rowsIn(PROBLEM)(
    'DataLost',
    'volume',
    'The control plane had etcd data, but no data exists. The operator creates no empty etcd.',
    'Restore the PVCs, or annotate the Karmada with operator.karmada.io/etcd-start-empty.',
  ),
]);
