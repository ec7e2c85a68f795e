/** Reasons of blocked changes of an etcd that the operator runs. */
import { BLOCKED, reasonTable, rowsIn } from './reason.ts';

const blocked = rowsIn(BLOCKED);

export const ETCD_CHANGE_REASONS = reasonTable([
  rowsIn(['EtcdHealthy', 'EtcdAdopted', ...BLOCKED])(
    'EtcdUnobserved',
    'network',
    'The operator cannot query an etcd member, so it restarts no etcd member.',
    'Allow the operator to reach port 2379 of the etcd Pods.',
  ),
  rowsIn(['EtcdAdopted', ...BLOCKED])(
    'EtcdQuorumUnproven',
    'component',
    'The etcd members do not show that they keep a quorum during a restart. The operator restarts none.',
    'Read the logs of the etcd members that do not serve requests. The operator retries.',
  ),
  rowsIn(['EtcdAdopted', ...BLOCKED])(
    'EtcdMembersBlocked',
    'spec',
    'The operator adds no etcd member, because the desired number is even or the etcd release is older than 3.5.19. Or it changes no etcd member, because a listed member belongs to no Pod of the control plane.',
    'Set an odd number in spec.components.etcd.local.replicas, set a newer imageTag, or restore the peer URL of the listed member with etcdctl.',
  ),
  blocked(
    'EtcdClaimFound',
    'volume',
    'A PVC with the name of a new etcd member has data of another etcd cluster, or its content is unknown.',
    'Move the volume to a PVC with another name, or set fewer members in spec.components.etcd.local.replicas.',
  ),
  blocked(
    'EtcdDataFound',
    'volume',
    'The hostPath of a new etcd member has the data of a removed etcd member.',
    'Move the directory on the node to another path, then recreate the Pod.',
  ),
  blocked(
    'EtcdStorageBlocked',
    'spec',
    'The spec changes the storage of an etcd that has data.',
    'Set spec.components.etcd.local.volumeData back, or restore a snapshot into a new Karmada.',
  ),
  blocked(
    'EtcdRestartBlocked',
    'spec',
    'The etcd Pod template changed, but a restart would lose the data in an emptyDir.',
    'Revert the change, or set spec.components.etcd.local.replicas to 3 first.',
  ),
  blocked(
    'EtcdPVCDeletionBlocked',
    'volume',
    'A finalizer keeps an unbound PVC that the operator replaces.',
    'Let the controller that owns the finalizer finish.',
  ),
  blocked(
    'EtcdEvidenceReadFailed',
    'api',
    'The operator could not read whether etcd data exists, so it creates no etcd.',
    'Check the API server and the RBAC permissions. The operator retries.',
  ),
  rowsIn(['EtcdAdopted', ...BLOCKED])(
    'EtcdRecordUnreadable',
    'spec',
    'The annotation operator.karmada.io/etcd-record of the CA backup Secret is not valid.',
    'Restore the annotation from a backup.',
  ),
  blocked(
    'EtcdRecordNotWritten',
    'api',
    'The operator could not record the new etcd cluster, so it does not create the cluster.',
    'Check the API server and admission policies. The operator retries.',
  ),
  blocked(
    'EtcdClaimsTerminating',
    'volume',
    'PVCs of an earlier etcd are terminating.',
    'Wait. If a finalizer keeps a PVC, let its controller finish.',
  ),
  blocked(
    'EtcdClaimsKept',
    'volume',
    'The annotation etcd-start-empty gives up the etcd data, but PVCs with this data exist.',
    'Move the PVCs to other names, or take the annotation off the Karmada to use their data.',
  ),
  blocked(
    'EtcdClaimUnreadable',
    'volume',
    'The annotation operator.karmada.io/etcd-member of a PVC is not valid.',
    'Restore the annotation from a backup.',
  ),
  blocked(
    'EtcdClaimsOfTwoClusters',
    'volume',
    'The PVCs have data of different etcd clusters.',
    'Keep the PVCs of one etcd cluster under these names, and move the other volumes to other PVC names.',
  ),
  blocked(
    'EtcdClaimForeign',
    'volume',
    'A PVC has data of another etcd cluster or of another etcd member.',
    'Move the PVC to another name, or restore the matching data and CA.',
  ),
  blocked(
    'EtcdPodsLeft',
    'volume',
    'Pods of an earlier etcd still exist.',
    'Wait until the Pods are gone.',
  ),
  blocked(
    'EtcdVolumesFound',
    'volume',
    'A PersistentVolume may have data of this etcd, but its PVC does not exist.',
    'Bind the volume to a new PVC, or clear spec.claimRef of the volume to start with an empty etcd.',
  ),
]);
