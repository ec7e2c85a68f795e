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
  rowsIn([...PROBLEM, 'Warning'])(
    'EtcdRecoveryRefused',
    'decision',
    'The annotation operator.karmada.io/etcd-recover-from does not match the etcd members. The operator changes nothing.',
    'Copy the value from the condition EtcdHealthy, or take the annotation off the Karmada.',
  ),
  rowsIn(['Pod'])(
    'EtcdMemberSilent',
    'node',
    'The etcd member in the Pod responds to nothing, and the others have a quorum. The operator has set Ready to False, so that Services exclude the Pod.',
    'Restore its node. The kubelet corrects the condition when it runs again.',
  ),
  rowsIn(['components', ...BLOCKED])(
    'EtcdRecovering',
    'none',
    'The operator rebuilds etcd from one member or from a backup. The API servers and controllers do not run meanwhile.',
    'Read in the message what the recovery waits for.',
  ),
  rowsIn(['Warning'])(
    'EtcdVolumesKept',
    'none',
    'A recovery of etcd kept the PVCs of the former etcd cluster.',
    'Follow docs/operate/backup-restore.md when the recovered control plane is complete.',
  ),
  rowsIn(['EtcdHealthy', 'EtcdReady', ...PROBLEM], 'members-of-different-clusters')(
    'SplitBrain',
    'component',
    'The etcd Pods belong to different etcd clusters. The operator changes nothing of etcd.',
    'Keep the volumes of all etcd members, and follow the steps in docs/operate/troubleshoot.md.',
  ),
  rowsIn(['EtcdHealthy'], 'alarms-of-etcd')(
    'EtcdNoSpace',
    'component',
    'The database of an etcd member has reached its quota, and etcd rejects writes.',
    'Wait: the operator frees space and disarms the alarm. If the reason stays, see docs/operate/troubleshoot.md.',
  ),
  rowsIn(['Warning'], 'warnings')(
    'EtcdPeersWithoutTLS',
    'spec',
    'The members of etcd connect to each other over http, and a restart would lose the data.',
    'Set spec.components.etcd.local.replicas to 3.',
  ),
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
  rowsIn(['Warning'])(
    'EtcdVolumeExpanding',
    'none',
    'The volume of an etcd PVC is smaller than the PVC requests.',
    'Wait. If it stays so, read the Events of the PVC.',
  ),
  rowsIn(BLOCKED)(
    'EtcdVolumeExpansionBlocked',
    'volume',
    'The spec asks for larger etcd PVCs, which cannot be expanded.',
    'Set allowVolumeExpansion in the StorageClass, raise the ResourceQuota, or set the former size.',
  ),
  rowsIn(['EtcdHealthy'], 'alarms-of-etcd')(
    'EtcdCorrupt',
    'component',
    'The data of the etcd members differs, and etcd rejects all requests.',
    'Keep the volumes of all etcd members, and follow the steps in docs/operate/troubleshoot.md.',
  ),
]);
