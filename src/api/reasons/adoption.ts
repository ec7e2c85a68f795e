/** Reasons of control planes that the Go operator created. */
import { BLOCKED, reasonTable, rowsIn } from './reason.ts';

const adopted = rowsIn(['Adopted']);
const STEPS = 'steps-of-etcdadopted';
const etcdAdopted = rowsIn(['EtcdAdopted'], STEPS);

export const ADOPTION_REASONS = reasonTable([
  adopted(
    'AdoptionPending',
    'none',
    'The Go operator created the control plane. The operator changes nothing until its owner confirms.',
    'Check the restarts that the message lists, then run the command of the message.',
  ),
  adopted(
    'AdoptionDisabled',
    'decision',
    'The annotation operator.karmada.io/adoption is Never, so the operator does not adopt the control plane.',
    'To adopt it, set the annotation to Automatic.',
  ),
  adopted(
    'AdoptionConflict',
    'spec',
    'An object has the name of an object of the control plane, but its content belongs to another one.',
    'Restore the object that the message names, or move it to another name.',
  ),
  adopted(
    'GoOperatorRunning',
    'decision',
    'The Go operator still renews its Lease. Two operators would overwrite changes of each other.',
    'Scale the Deployment of the Go operator to 0 replicas.',
  ),
  rowsIn(['Warning'])(
    'EtcdTemplateKept',
    'spec',
    'The etcd of an adopted control plane keeps the Pod template of the Go operator. Its members use unencrypted peer URLs.',
    'Take the steps of the condition EtcdAdopted. Until then changes of spec.components.etcd.local have no effect.',
  ),
  etcdAdopted(
    'EtcdAdoptionPending',
    'none',
    'The Go operator created the etcd. Without the consent of the user the operator changes nothing of it.',
    'Preview the steps with the command of the message, take a backup, and set the annotation operator.karmada.io/adopt-etcd to Automatic.',
  ),
  etcdAdopted(
    'EtcdAdopting',
    'none',
    'The operator changes an etcd of the Go operator step by step. Its version, members and volumes change only after the last step.',
    'Wait until the condition is gone.',
  ),
  etcdAdopted(
    'EtcdNeverOneCluster',
    'component',
    'The members that the flags of the Go operator name never formed one etcd cluster. The message has the cluster and the member list of each Pod.',
    'Find the cluster with your data, and name its member with the annotation operator.karmada.io/etcd-recover-from, as the migration page describes. The operator keeps the volumes of all members.',
  ),
  etcdAdopted(
    'EtcdDataNotDurable',
    'spec',
    'An etcd of the Go operator has its data in an emptyDir, which a restart would lose.',
    'Take a KarmadaBackup, set a volumeClaim, and name the member with the annotation operator.karmada.io/etcd-recover-from. The API of the control plane does not answer while the data is restored.',
  ),
  rowsIn(['EtcdAdopted', ...BLOCKED], STEPS)(
    'EtcdVolumeUnproven',
    'volume',
    'A PVC of an etcd is being deleted. Or a PVC of an etcd of the Go operator lacks the labels of the control plane or is not bound, or its single member on hostPath may start on another node. A restarted member would not find its data.',
    'Take a backup, and restore the PVC that the message names or its labels, or set the nodeSelector of the message.',
  ),
  etcdAdopted(
    'EtcdRecordForeign',
    'decision',
    'The CA backup Secret records another etcd cluster than that of the members, for example because the Go operator has created a new one. The operator does not know which one has the data.',
    'If the present members have your data, remove the annotation operator.karmada.io/etcd-record from the Secret. Otherwise restore the data of the recorded cluster.',
  ),
  etcdAdopted(
    'EtcdRootForbidden',
    'spec',
    'The files of an etcd of the Go operator belong to root, and spec.podSettings, --tenant-pods=Restricted or the Pod Security level restricted of the namespace forbids its members to run as root. A restarted member could not read its data, or would not start.',
    'Omit runAsNonRoot and runAsUser of etcd in spec.podSettings, start the operator without --tenant-pods=Restricted, or set the label pod-security.kubernetes.io/enforce of the namespace to baseline.',
  ),
  etcdAdopted(
    'EtcdObjectsNotOwned',
    'decision',
    'An object of the etcd lacks the labels of the control plane.',
    'Add the labels that the message names.',
  ),
  etcdAdopted(
    'EtcdSecretShared',
    'decision',
    'Another controller also writes the Secret with the certificates of the etcd members.',
    'Let this operator alone write the Secret.',
  ),
]);
