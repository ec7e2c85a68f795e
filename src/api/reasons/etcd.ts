/** Reasons of an etcd that the operator runs. */
import { BLOCKED, NO_ACTION, PROBLEM, reasonTable, rowsIn } from './reason.ts';

const etcdHealth = rowsIn(['EtcdHealthy']);
const event = rowsIn(['Event']);

export const ETCD_REASONS = reasonTable([
  etcdHealth('Quorum', 'none', 'A majority of the etcd members serves requests.', NO_ACTION),
  etcdHealth(
    'MemberNotServing',
    'component',
    'The etcd cluster has a quorum, but a ready etcd member does not serve requests.',
    'Read the log of the etcd member that the message names.',
  ),
  etcdHealth(
    'NoQuorum',
    'component',
    'Fewer etcd members serve requests than a quorum needs.',
    'Start the missing etcd members; check their Pods, nodes and volumes.',
  ),
  etcdHealth(
    'QuorumLost',
    'volume',
    'So many etcd members lost their data that the others cannot form a quorum.',
    'Restore the volumes of the lost members, or recover etcd from a member that the message names, as in docs/operate/backup-restore.md.',
  ),
  {
    reason: 'EtcdRecoveryRefused',
    fault: 'decision',
    types: [...PROBLEM, 'Warning'],
    meaning:
      'The annotation operator.karmada.io/etcd-recover-from does not match the etcd members. The operator changes nothing.',
    action:
      'Copy the value from the condition EtcdHealthy, or take the annotation off the Karmada.',
  },
  {
    reason: 'EtcdMemberSilent',
    fault: 'node',
    types: ['Pod'],
    meaning:
      'The etcd member in the Pod responds to nothing, and the others have a quorum. The operator has set Ready to False, so that Services exclude the Pod.',
    action: 'Restore its node. The kubelet corrects the condition when it runs again.',
  },
  {
    reason: 'EtcdRecovering',
    fault: 'none',
    types: ['components', ...BLOCKED],
    meaning:
      'The operator rebuilds etcd from one member or from a backup. The API servers and controllers do not run meanwhile.',
    action: 'Read in the message what the recovery waits for.',
  },
  {
    reason: 'EtcdVolumesKept',
    fault: 'none',
    types: ['Warning'],
    meaning: 'A recovery of etcd kept the PVCs of the former etcd cluster.',
    action: 'Follow docs/operate/backup-restore.md when the recovered control plane is complete.',
  },
  {
    reason: 'SplitBrain',
    fault: 'component',
    section: 'members-of-different-clusters',
    types: ['EtcdHealthy', 'EtcdReady', ...PROBLEM],
    meaning:
      'The etcd Pods belong to different etcd clusters. The operator changes nothing of etcd.',
    action:
      'Keep the volumes of all etcd members, and follow the steps in docs/operate/troubleshoot.md.',
  },
  {
    reason: 'EtcdNoSpace',
    fault: 'component',
    section: 'alarms-of-etcd',
    types: ['EtcdHealthy'],
    meaning: 'The database of an etcd member has reached its quota, and etcd rejects writes.',
    action:
      'Wait: the operator frees space and disarms the alarm. If the reason stays, see docs/operate/troubleshoot.md.',
  },
  {
    reason: 'EtcdPeersWithoutTLS',
    fault: 'spec',
    section: 'warnings',
    types: ['Warning'],
    meaning:
      'The members of etcd connect to each other over http, and a restart would lose the data.',
    action: 'Set spec.components.etcd.local.replicas to 3.',
  },
  event(
    'EtcdCompacted',
    'none',
    'The operator compacted a full etcd, because the API servers cannot while etcd rejects writes.',
    NO_ACTION,
  ),
  event(
    'EtcdDefragmented',
    'none',
    'The operator defragmented the database of an etcd member.',
    NO_ACTION,
  ),
  event(
    'EtcdAlarmDisarmed',
    'none',
    'All etcd databases are below 80% of their quota, and the operator disarmed the alarm NOSPACE.',
    'If the alarm comes back, raise spec.components.etcd.local.quotaBackendBytes or delete objects.',
  ),
  {
    reason: 'EtcdVolumeExpanding',
    fault: 'none',
    types: ['Warning'],
    meaning: 'The volume of an etcd PVC is smaller than the PVC requests.',
    action: 'Wait. If it stays so, read the Events of the PVC.',
  },
  {
    reason: 'EtcdVolumeExpansionBlocked',
    fault: 'volume',
    types: BLOCKED,
    meaning: 'The spec asks for larger etcd PVCs, which cannot be expanded.',
    action:
      'Set allowVolumeExpansion in the StorageClass, raise the ResourceQuota, or set the former size.',
  },
  {
    reason: 'EtcdCorrupt',
    fault: 'component',
    section: 'alarms-of-etcd',
    types: ['EtcdHealthy'],
    meaning: 'The data of the etcd members differs, and etcd rejects all requests.',
    action:
      'Keep the volumes of all etcd members, and follow the steps in docs/operate/troubleshoot.md.',
  },
]);
