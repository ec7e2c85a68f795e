/** Reasons of blocked changes of an etcd that the operator runs. */
import { BLOCKED, reasonTable } from './reason.ts';

export const ETCD_CHANGE_REASONS = reasonTable([
  {
    reason: 'EtcdUnobserved',
    fault: 'network',
    types: ['EtcdHealthy', 'EtcdAdopted', ...BLOCKED],
    meaning: 'The operator cannot query an etcd member, so it restarts no etcd member.',
    action: 'Allow the operator to reach port 2379 of the etcd Pods.',
  },
  {
    reason: 'EtcdQuorumUnproven',
    fault: 'component',
    types: ['EtcdAdopted', ...BLOCKED],
    meaning:
      'The etcd members do not show that they keep a quorum during a restart. The operator restarts none.',
    action: 'Read the logs of the etcd members that do not serve requests. The operator retries.',
  },
  {
    reason: 'EtcdMembersBlocked',
    fault: 'spec',
    types: ['EtcdAdopted', ...BLOCKED],
    meaning:
      'The operator adds no etcd member, because the desired number is even or the etcd release is older than 3.5.19. Or it changes no etcd member, because a listed member belongs to no Pod of the control plane.',
    action:
      'Set an odd number in spec.components.etcd.local.replicas, set a newer imageTag, or restore the peer URL of the listed member with etcdctl.',
  },
  {
    reason: 'EtcdClaimFound',
    fault: 'volume',
    types: BLOCKED,
    meaning:
      'A PVC with the name of a new etcd member has data of another etcd cluster, or its content is unknown.',
    action:
      'Move the volume to a PVC with another name, or set fewer members in spec.components.etcd.local.replicas.',
  },
  {
    reason: 'EtcdDataFound',
    fault: 'volume',
    types: BLOCKED,
    meaning: 'The hostPath of a new etcd member has the data of a removed etcd member.',
    action: 'Move the directory on the node to another path, then recreate the Pod.',
  },
  {
    reason: 'EtcdStorageBlocked',
    fault: 'spec',
    types: BLOCKED,
    meaning: 'The spec changes the storage of an etcd that has data.',
    action:
      'Set spec.components.etcd.local.volumeData back, or restore a snapshot into a new Karmada.',
  },
  {
    reason: 'EtcdRestartBlocked',
    fault: 'spec',
    types: BLOCKED,
    meaning: 'The etcd Pod template changed, but a restart would lose the data in an emptyDir.',
    action: 'Revert the change, or set spec.components.etcd.local.replicas to 3 first.',
  },
  {
    reason: 'EtcdPVCDeletionBlocked',
    fault: 'volume',
    types: BLOCKED,
    meaning: 'A finalizer keeps an unbound PVC that the operator replaces.',
    action: 'Let the controller that owns the finalizer finish.',
  },
  {
    reason: 'EtcdEvidenceReadFailed',
    fault: 'api',
    types: BLOCKED,
    meaning: 'The operator could not read whether etcd data exists, so it creates no etcd.',
    action: 'Check the API server and the RBAC permissions. The operator retries.',
  },
  {
    reason: 'EtcdRecordUnreadable',
    fault: 'spec',
    types: BLOCKED,
    meaning: 'The annotation operator.karmada.io/etcd-record of the CA backup Secret is not valid.',
    action: 'Restore the annotation from a backup.',
  },
  {
    reason: 'EtcdRecordNotWritten',
    fault: 'api',
    types: BLOCKED,
    meaning:
      'The operator could not record the new etcd cluster, so it does not create the cluster.',
    action: 'Check the API server and admission policies. The operator retries.',
  },
  {
    reason: 'EtcdClaimsTerminating',
    fault: 'volume',
    types: BLOCKED,
    meaning: 'PVCs of an earlier etcd are terminating.',
    action: 'Wait. If a finalizer keeps a PVC, let its controller finish.',
  },
  {
    reason: 'EtcdClaimsKept',
    fault: 'volume',
    types: BLOCKED,
    meaning:
      'The annotation etcd-start-empty gives up the etcd data, but PVCs with this data exist.',
    action:
      'Move the PVCs to other names, or take the annotation off the Karmada to use their data.',
  },
  {
    reason: 'EtcdClaimUnreadable',
    fault: 'volume',
    types: BLOCKED,
    meaning: 'The annotation operator.karmada.io/etcd-member of a PVC is not valid.',
    action: 'Restore the annotation from a backup.',
  },
  {
    reason: 'EtcdClaimsOfTwoClusters',
    fault: 'volume',
    types: BLOCKED,
    meaning: 'The PVCs have data of different etcd clusters.',
    action:
      'Keep the PVCs of one etcd cluster under these names, and move the other volumes to other PVC names.',
  },
  {
    reason: 'EtcdClaimForeign',
    fault: 'volume',
    types: BLOCKED,
    meaning: 'A PVC has data of another etcd cluster or of another etcd member.',
    action: 'Move the PVC to another name, or restore the matching data and CA.',
  },
  {
    reason: 'EtcdPodsLeft',
    fault: 'volume',
    types: BLOCKED,
    meaning: 'Pods of an earlier etcd still exist.',
    action: 'Wait until the Pods are gone.',
  },
  {
    reason: 'EtcdVolumesFound',
    fault: 'volume',
    types: BLOCKED,
    meaning: 'A PersistentVolume may have data of this etcd, but its PVC does not exist.',
    action:
      'Bind the volume to a new PVC, or clear spec.claimRef of the volume to start with an empty etcd.',
  },
]);
