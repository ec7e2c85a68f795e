/** Reasons of installation, upgrade, deletion, and of reconciles that fail. */
import { BLOCKED, NO_ACTION, PROBLEM, type ConditionReason } from './reason.ts';

export const PROGRESS_REASONS: readonly ConditionReason[] = [
  {
    reason: 'Completed',
    types: ['Ready', 'Progressing'],
    meaning: 'All components run as the spec requires. No change is pending.',
    action: NO_ACTION,
  },
  {
    reason: 'Progressing',
    types: ['Ready', 'Progressing', 'components', 'HostReachable', 'OperatorRollout'],
    meaning:
      'The operator installs or changes the control plane; the message names the next steps.',
    action: 'Wait. If the message stays the same, check the object that it names.',
  },
  {
    reason: 'Available',
    types: ['components'],
    meaning: 'The component runs with the desired Pod template and is ready.',
    action: NO_ACTION,
  },
  {
    reason: 'AsExpected',
    types: ['Degraded'],
    meaning: 'The operator found no error that requires user action.',
    action: NO_ACTION,
  },
  {
    reason: 'Failed',
    types: ['Ready', 'OperatorRollout'],
    meaning:
      'An error requires user action. OperatorRollout: the rollout of a new operator version failed in this control plane.',
    action: 'Read the message and the reason of the condition Degraded.',
  },
  {
    reason: 'ChangeBlocked',
    types: ['Ready'],
    meaning:
      'The operator does not apply a change, because it could lose data or is not supported.',
    action: 'Read the message; the condition Progressing has the exact reason.',
  },
  {
    reason: 'UpgradeRolledBack',
    types: ['Ready', ...BLOCKED],
    meaning:
      'A step of a change was not ready within spec.upgrade.stepDeadline. The control plane runs the last ready spec again.',
    action:
      'Read the message; revert or correct the change, or change spec.upgrade.stepDeadline to try again.',
  },
  {
    reason: 'AwaitingBackup',
    types: ['Progressing'],
    meaning:
      'An upgrade waits until the KarmadaBackup before it is verified; status.upgrade.backup has its name.',
    action: 'Wait. If the message says that the backup cannot be taken, correct what it names.',
  },
  {
    reason: 'UpgradeBackupFailed',
    types: BLOCKED,
    meaning: 'The KarmadaBackup before an upgrade was not verified, so the upgrade does not start.',
    action:
      'Correct what the message names, then delete the KarmadaBackup; the operator takes another one. Or set spec.upgrade.backup to Never.',
  },
  {
    reason: 'UpgradeBackupMissing',
    types: BLOCKED,
    meaning:
      'No backup can be taken before an upgrade: none is configured and spec.upgrade.backup is Required, or several stores exist and none is selected.',
    action:
      'Create a KarmadaBackupStore or a KarmadaBackupSchedule as the message says. Or set spec.upgrade.backup to Never.',
  },
  {
    reason: 'Pending',
    types: ['CertificatesValid', 'EtcdHealthy', 'EtcdReady'],
    meaning: 'The operator has not checked the certificates or etcd yet.',
    action: NO_ACTION,
  },
  {
    reason: 'Deleting',
    types: ['Ready'],
    meaning: 'The operator deletes the control plane; the message names what delays the deletion.',
    action: 'Keep the operator running. If the message names an obstacle, resolve it.',
  },
  {
    reason: 'DeletionUnconfirmed',
    types: ['Ready'],
    meaning:
      'The Karmada is deleted, but member clusters are joined and spec.deletionPolicy is ConfirmMembers. Nothing is deleted yet.',
    action: 'Remove the member clusters, or set the annotation that the message names.',
  },
  {
    reason: 'NamespaceTerminating',
    types: ['Ready', ...PROBLEM],
    meaning:
      'The Namespace of the Karmada, or of an object of the control plane, is terminating. The operator creates nothing in it.',
    action: 'Wait for the deletion to finish.',
  },
  {
    reason: 'Suspended',
    types: ['Suspended', 'Ready'],
    meaning:
      'The field spec.suspend is true. The operator changes nothing, but still processes a deletion.',
    action: 'Set spec.suspend to false to continue.',
  },
  {
    reason: 'AnnotatedObjects',
    types: ['RepairPaused'],
    meaning:
      'Objects have the annotation operator.karmada.io/pause-repair: "true". The operator does not repair their drift.',
    action: 'Take the annotation off the objects to resume the repair.',
  },
  {
    reason: 'RepairPaused',
    types: ['Progressing', 'Stalled'],
    meaning:
      'An object must change, but has the annotation operator.karmada.io/pause-repair: "true". Later stages wait.',
    action: 'Take the annotation off the object.',
  },
  {
    reason: 'Waiting',
    types: ['OperatorRollout'],
    meaning:
      'A new version of the operator changes Pods of this control plane. The limit of --operator-rollout-limit is reached.',
    action: NO_ACTION,
  },
  {
    reason: 'Stopped',
    types: ['OperatorRollout'],
    meaning:
      'The rollout of a new version of the operator failed in another control plane, so the operator does not continue it.',
    action: 'Repair the Karmada that the message names.',
  },
  {
    reason: 'Error',
    types: ['Degraded', 'Progressing', 'EtcdReady', 'EtcdHealthy', 'SchedulerEstimatorReady'],
    meaning: 'A request failed; the message has the error. The operator retries.',
    action: 'If the error persists, check the API server that the message names.',
  },
  {
    reason: 'ReconcileFailed',
    types: ['Ready', ...PROBLEM],
    meaning: 'The whole reconcile has failed for 10 seconds. The operator retries.',
    action:
      'Resolve the error in the message, for example an admission policy that rejects the write.',
  },
  {
    reason: 'OperatorFault',
    types: ['Ready', ...PROBLEM],
    meaning: 'The reconcile stopped with an internal error of the operator. The operator retries.',
    action: 'Report a bug with the error from the operator log.',
  },
  {
    reason: 'ClusterAccessDenied',
    types: ['Ready', 'Stalled'],
    meaning: 'The operator may not read objects in the management cluster.',
    action: 'Apply the RBAC manifests of this operator version, or upgrade the Helm release.',
  },
  {
    reason: 'ClusterNotObserved',
    types: ['Ready'],
    meaning:
      'The watches of the operator in the management cluster are interrupted, so its caches are stale.',
    action: 'Check the API server of the management cluster.',
  },
  {
    reason: 'ControlPlaneNotObserved',
    types: ['Ready', 'Progressing'],
    meaning: 'The watches of the operator in the Karmada control plane are interrupted.',
    action: 'Check the Pods of karmada-apiserver and of etcd.',
  },
  {
    reason: 'ControlPlaneLimitExceeded',
    types: PROBLEM,
    meaning: 'The Karmada control plane has more objects of one kind than the operator reads.',
    action: 'Reduce the number of objects that the message names.',
  },
  {
    reason: 'NameNotResolved',
    types: PROBLEM,
    meaning: 'The DNS name of the Service of karmada-apiserver cannot be resolved.',
    action: 'Correct spec.hostCluster.networking.dnsDomain, or the DNS of the cluster.',
  },
  {
    reason: 'Conflict',
    types: [...PROBLEM, 'SchedulerEstimatorReady'],
    meaning: 'An object with a required name exists, but does not belong to this control plane.',
    action:
      'Move the foreign object to another name or Namespace, or create the Karmada under another name.',
  },
  {
    reason: 'ImmutableField',
    types: [...PROBLEM, 'SchedulerEstimatorReady'],
    meaning: 'The spec changes a field that Kubernetes does not allow to change.',
    action: 'Revert the change of the field that the message names.',
  },
  {
    reason: 'ObjectRefused',
    types: [...PROBLEM, 'SchedulerEstimatorReady'],
    meaning: 'The API server or an admission webhook rejected an object.',
    action: 'Correct the field of the spec that sets the value, or the admission policy.',
  },
  {
    reason: 'SecretNotWritten',
    types: ['CertificatesValid', ...PROBLEM, 'SchedulerEstimatorReady'],
    meaning: 'The operator could not write a Secret; the message has the error.',
    action: 'Resolve the conflict or the policy that the message names.',
  },
];
