/** Reasons of lost or damaged etcd data. */
import { PROBLEM, reasonTable } from './reason.ts';

export const ETCD_DATA_REASONS = reasonTable([
  {
    reason: 'EtcdMemberDown',
    fault: 'node',
    section: 'a-lost-or-damaged-etcd-member',
    types: ['EtcdReady', ...PROBLEM],
    meaning:
      'An etcd member is down and does not return by itself: its node is not ready or lost, its volume was deleted, or its data is corrupt.',
    action:
      'See "A lost or damaged etcd member" in docs/operate/troubleshoot.md. After spec.components.etcd.local.replacementGracePeriod the operator replaces the member, unless its Node object still exists.',
  },
  {
    reason: 'EtcdMemberLost',
    fault: 'volume',
    types: PROBLEM,
    meaning:
      'An etcd member lost its data, and the other etcd members have no quorum. With a quorum the operator replaces the lost member.',
    action:
      'Start the etcd members that still have data. If they all run, recover from one of them, as in docs/operate/backup-restore.md.',
  },
  {
    reason: 'DataLost',
    fault: 'volume',
    types: PROBLEM,
    meaning:
      'The control plane had etcd data, but no data exists. The operator creates no empty etcd.',
    action: 'Restore the PVCs, or annotate the Karmada with operator.karmada.io/etcd-start-empty.',
  },
]);
