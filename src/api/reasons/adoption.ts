/** Reasons of control planes that the Go operator created. */
import { reasonTable } from './reason.ts';

export const ADOPTION_REASONS = reasonTable([
  {
    reason: 'AdoptionPending',
    fault: 'none',
    types: ['Adopted'],
    meaning:
      'The Go operator created the control plane. The operator changes nothing until its owner confirms.',
    action: 'Check the restarts that the message lists, then run the command of the message.',
  },
  {
    reason: 'AdoptionDisabled',
    fault: 'decision',
    types: ['Adopted'],
    meaning:
      'The annotation operator.karmada.io/adoption is Never, so the operator does not adopt the control plane.',
    action: 'To adopt it, set the annotation to Automatic.',
  },
  {
    reason: 'AdoptionConflict',
    fault: 'spec',
    types: ['Adopted'],
    meaning:
      'An object has the name of an object of the control plane, but its content belongs to another one.',
    action: 'Restore the object that the message names, or move it to another name.',
  },
  {
    reason: 'GoOperatorRunning',
    fault: 'decision',
    types: ['Adopted'],
    meaning:
      'The Go operator still renews its Lease. Two operators would overwrite changes of each other.',
    action: 'Scale the Deployment of the Go operator to 0 replicas.',
  },
  {
    reason: 'EtcdTemplateKept',
    fault: 'spec',
    types: ['Warning'],
    meaning:
      'The etcd of an adopted control plane keeps the Pod template of the Go operator. Its members use unencrypted peer URLs.',
    action:
      'Take the steps of the condition EtcdAdopted. Until then changes of spec.components.etcd.local have no effect.',
  },
  {
    reason: 'EtcdAdoptionPending',
    fault: 'none',
    types: ['EtcdAdopted'],
    meaning:
      'The Go operator created the etcd. Without the consent of the user the operator changes nothing of it.',
    action:
      'Preview the steps with the command of the message, take a backup, and set the annotation operator.karmada.io/adopt-etcd to Automatic.',
  },
  {
    reason: 'EtcdAdopting',
    fault: 'none',
    types: ['EtcdAdopted'],
    meaning:
      'The operator changes an etcd of the Go operator step by step. Its version, members and volumes change only after the last step.',
    action: 'Wait until the condition is gone.',
  },
  {
    reason: 'EtcdNeverOneCluster',
    fault: 'component',
    types: ['EtcdAdopted'],
    meaning:
      'The members that the flags of the Go operator name never formed one etcd cluster. The message has the cluster and the member list of each Pod.',
    action:
      'Find the cluster with your data, and name its member with the annotation operator.karmada.io/etcd-recover-from, as the migration page describes. The operator keeps the volumes of all members.',
  },
  {
    reason: 'EtcdDataNotDurable',
    fault: 'spec',
    types: ['EtcdAdopted'],
    meaning: 'An etcd of the Go operator has its data in an emptyDir, which a restart would lose.',
    action:
      'Take a KarmadaBackup, set a volumeClaim, and name the member with the annotation operator.karmada.io/etcd-recover-from. The API of the control plane does not answer while the data is restored.',
  },
  {
    reason: 'EtcdVolumeUnproven',
    fault: 'volume',
    types: ['EtcdAdopted'],
    meaning:
      'A PVC of an etcd of the Go operator is missing, not bound, or is being deleted, or a single member on hostPath may start on another node. A restarted member would not find its data.',
    action:
      'Take a backup, and restore the PVC that the message names, or set the nodeSelector of the message.',
  },
  {
    reason: 'EtcdObjectsNotOwned',
    fault: 'decision',
    types: ['EtcdAdopted'],
    meaning: 'An object of the etcd lacks the labels of the control plane.',
    action: 'Add the labels that the message names.',
  },
  {
    reason: 'EtcdSecretShared',
    fault: 'decision',
    types: ['EtcdAdopted'],
    meaning: 'Another controller also writes the Secret with the certificates of the etcd members.',
    action: 'Let this operator alone write the Secret.',
  },
]);
