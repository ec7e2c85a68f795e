/** Reasons of an etcd that the operator runs. */
import { BLOCKED, NO_ACTION, PROBLEM, type ConditionReason } from './reason.ts';

export const ETCD_REASONS: readonly ConditionReason[] = [
  {
    reason: 'Quorum',
    types: ['EtcdHealthy'],
    meaning: 'A majority of the etcd members serves requests.',
    action: NO_ACTION,
  },
  {
    reason: 'MemberNotServing',
    types: ['EtcdHealthy'],
    meaning: 'The etcd cluster has a quorum, but a ready etcd member does not serve requests.',
    action: 'Read the log of the etcd member that the message names.',
  },
  {
    reason: 'NoQuorum',
    types: ['EtcdHealthy'],
    meaning: 'Fewer etcd members serve requests than a quorum needs.',
    action: 'Start the missing etcd members; check their Pods, nodes and volumes.',
  },
  {
    reason: 'QuorumLost',
    types: ['EtcdHealthy'],
    meaning: 'So many etcd members lost their data that the others cannot form a quorum.',
    action:
      'Restore the volumes of the lost members, or recover etcd from a member that the message names, as in docs/operate/backup-restore.md.',
  },
  {
    reason: 'EtcdRecoveryRefused',
    types: [...PROBLEM, 'Warning'],
    meaning:
      'The annotation operator.karmada.io/etcd-recover-from does not match the etcd members. The operator changes nothing.',
    action:
      'Copy the value from the condition EtcdHealthy, or take the annotation off the Karmada.',
  },
  {
    reason: 'EtcdMemberSilent',
    types: ['Pod'],
    meaning:
      'The etcd member in the Pod responds to nothing, and the others have a quorum. The operator has set Ready to False, so that Services exclude the Pod.',
    action: 'Restore its node. The kubelet corrects the condition when it runs again.',
  },
  {
    reason: 'EtcdRecovering',
    types: ['components', ...BLOCKED],
    meaning:
      'The operator rebuilds etcd from one member or from a backup. The API servers and controllers do not run meanwhile.',
    action: 'Read in the message what the recovery waits for.',
  },
  {
    reason: 'EtcdVolumesKept',
    types: ['Warning'],
    meaning: 'A recovery of etcd kept the PVCs of the former etcd cluster.',
    action: 'Follow docs/operate/backup-restore.md when the recovered control plane is complete.',
  },
  {
    reason: 'SplitBrain',
    types: ['EtcdHealthy', 'EtcdReady', ...PROBLEM],
    meaning:
      'The etcd Pods belong to different etcd clusters. The operator changes nothing of etcd.',
    action:
      'Keep the volumes of all etcd members, and follow the steps in docs/operate/troubleshoot.md.',
  },
  {
    reason: 'EtcdNoSpace',
    types: ['EtcdHealthy'],
    meaning: 'The database of an etcd member has reached its quota, and etcd rejects writes.',
    action:
      'Wait: the operator frees space and disarms the alarm. If the reason stays, see docs/operate/troubleshoot.md.',
  },
  {
    reason: 'EtcdPeersWithoutTLS',
    types: ['Warning'],
    meaning:
      'The members of etcd connect to each other over http, and a restart would lose the data.',
    action: 'Set spec.components.etcd.local.replicas to 3.',
  },
  {
    reason: 'EtcdCompacted',
    types: ['Event'],
    meaning:
      'The operator compacted a full etcd, because the API servers cannot while etcd rejects writes.',
    action: NO_ACTION,
  },
  {
    reason: 'EtcdDefragmented',
    types: ['Event'],
    meaning: 'The operator defragmented the database of an etcd member.',
    action: NO_ACTION,
  },
  {
    reason: 'EtcdAlarmDisarmed',
    types: ['Event'],
    meaning:
      'All etcd databases are below 80% of their quota, and the operator disarmed the alarm NOSPACE.',
    action:
      'If the alarm comes back, raise spec.components.etcd.local.quotaBackendBytes or delete objects.',
  },
  {
    reason: 'EtcdVolumeExpanding',
    types: ['Warning'],
    meaning: 'The volume of an etcd PVC is smaller than the PVC requests.',
    action: 'Wait. If it stays so, read the Events of the PVC.',
  },
  {
    reason: 'EtcdVolumeExpansionBlocked',
    types: BLOCKED,
    meaning: 'The spec asks for larger etcd PVCs, which cannot be expanded.',
    action:
      'Set allowVolumeExpansion in the StorageClass, raise the ResourceQuota, or set the former size.',
  },
  {
    reason: 'EtcdCorrupt',
    types: ['EtcdHealthy'],
    meaning: 'The data of the etcd members differs, and etcd rejects all requests.',
    action:
      'Keep the volumes of all etcd members, and follow the steps in docs/operate/troubleshoot.md.',
  },
  {
    reason: 'EtcdUnobserved',
    types: ['EtcdHealthy', ...BLOCKED],
    meaning: 'The operator cannot query an etcd member, so it restarts no etcd member.',
    action: 'Allow the operator to reach port 2379 of the etcd Pods.',
  },
  {
    reason: 'EtcdQuorumUnproven',
    types: BLOCKED,
    meaning:
      'The etcd members do not show that they keep a quorum during a restart. The operator restarts none.',
    action: 'Read the logs of the etcd members that do not serve requests. The operator retries.',
  },
  {
    reason: 'EtcdMembersBlocked',
    types: BLOCKED,
    meaning:
      'The operator adds no etcd member, because the desired number is even or the etcd release is older than 3.5.19. Or it changes no etcd member, because a listed member belongs to no Pod of the control plane.',
    action:
      'Set an odd number in spec.components.etcd.local.replicas, set a newer imageTag, or restore the peer URL of the listed member with etcdctl.',
  },
  {
    reason: 'EtcdClaimFound',
    types: BLOCKED,
    meaning:
      'A PVC with the name of a new etcd member has data of another etcd cluster, or its content is unknown.',
    action:
      'Move the volume to a PVC with another name, or set fewer members in spec.components.etcd.local.replicas.',
  },
  {
    reason: 'EtcdDataFound',
    types: BLOCKED,
    meaning: 'The hostPath of a new etcd member has the data of a removed etcd member.',
    action: 'Move the directory on the node to another path, then recreate the Pod.',
  },
  {
    reason: 'EtcdStorageBlocked',
    types: BLOCKED,
    meaning: 'The spec changes the storage of an etcd that has data.',
    action:
      'Set spec.components.etcd.local.volumeData back, or restore a snapshot into a new Karmada.',
  },
  {
    reason: 'EtcdRestartBlocked',
    types: BLOCKED,
    meaning: 'The etcd Pod template changed, but a restart would lose the data in an emptyDir.',
    action: 'Revert the change, or create a new Karmada with a volumeClaim.',
  },
  {
    reason: 'EtcdPVCDeletionBlocked',
    types: BLOCKED,
    meaning: 'A finalizer keeps an unbound PVC that the operator replaces.',
    action: 'Let the controller that owns the finalizer finish.',
  },
  {
    reason: 'EtcdEvidenceReadFailed',
    types: BLOCKED,
    meaning: 'The operator could not read whether etcd data exists, so it creates no etcd.',
    action: 'Check the API server and the RBAC permissions. The operator retries.',
  },
  {
    reason: 'EtcdRecordUnreadable',
    types: BLOCKED,
    meaning: 'The annotation operator.karmada.io/etcd-record of the CA backup Secret is not valid.',
    action: 'Restore the annotation from a backup.',
  },
  {
    reason: 'EtcdRecordNotWritten',
    types: BLOCKED,
    meaning:
      'The operator could not record the new etcd cluster, so it does not create the cluster.',
    action: 'Check the API server and admission policies. The operator retries.',
  },
  {
    reason: 'EtcdClaimsTerminating',
    types: BLOCKED,
    meaning: 'PVCs of an earlier etcd are terminating.',
    action: 'Wait. If a finalizer keeps a PVC, let its controller finish.',
  },
  {
    reason: 'EtcdClaimsKept',
    types: BLOCKED,
    meaning:
      'The annotation etcd-start-empty gives up the etcd data, but PVCs with this data exist.',
    action:
      'Move the PVCs to other names, or take the annotation off the Karmada to use their data.',
  },
  {
    reason: 'EtcdClaimUnreadable',
    types: BLOCKED,
    meaning: 'The annotation operator.karmada.io/etcd-member of a PVC is not valid.',
    action: 'Restore the annotation from a backup.',
  },
  {
    reason: 'EtcdClaimsOfTwoClusters',
    types: BLOCKED,
    meaning: 'The PVCs have data of different etcd clusters.',
    action:
      'Keep the PVCs of one etcd cluster under these names, and move the other volumes to other PVC names.',
  },
  {
    reason: 'EtcdClaimForeign',
    types: BLOCKED,
    meaning: 'A PVC has data of another etcd cluster or of another etcd member.',
    action: 'Move the PVC to another name, or restore the matching data and CA.',
  },
  {
    reason: 'EtcdPodsLeft',
    types: BLOCKED,
    meaning: 'Pods of an earlier etcd still exist.',
    action: 'Wait until the Pods are gone.',
  },
  {
    reason: 'EtcdVolumesFound',
    types: BLOCKED,
    meaning: 'A PersistentVolume may have data of this etcd, but its PVC does not exist.',
    action:
      'Bind the volume to a new PVC, or clear spec.claimRef of the volume to start with an empty etcd.',
  },
];
