/** Reasons of installation, upgrade and deletion. */
import { BLOCKED, NO_ACTION, PROBLEM, reasonTable, rowsIn } from './reason.ts';

const ready = rowsIn(['Ready']);

export const PROGRESS_REASONS = reasonTable([
  rowsIn(PROBLEM)(
    'ProgressDeadlineExceeded',
    'component',
    'The control plane is not ready, has made no progress for the time of --progress-deadline, and no other cause is known.',
    'Check the objects that the message names, and their Events.',
  ),
  rowsIn(['Ready', 'Progressing'])(
    'Completed',
    'none',
    'All components run as the spec requires. No change is pending.',
    NO_ACTION,
  ),
  rowsIn(['Ready', 'Progressing', 'components', 'HostReachable', 'OperatorRollout'])(
    'Progressing',
    'none',
    'The operator installs or changes the control plane; the message names the next steps.',
    'Wait. If the message stays the same, check the object that it names.',
  ),
  rowsIn(['components'])(
    'Available',
    'none',
    'The component runs with the desired Pod template and is ready.',
    NO_ACTION,
  ),
  rowsIn(['Degraded'])(
    'AsExpected',
    'none',
    'The operator found no error that requires user action.',
    NO_ACTION,
  ),
  rowsIn(['Ready', 'OperatorRollout'])(
    'Failed',
    'none',
    'An error requires user action. OperatorRollout: the rollout of a new operator version failed in this control plane.',
    'Read the message and the reason of the condition Degraded.',
  ),
  ready(
    'ChangeBlocked',
    'none',
    'The operator does not apply a change, because it could lose data or is not supported.',
    'Read the message; the condition Progressing has the exact reason.',
  ),
  rowsIn(['Ready', ...BLOCKED], 'blocked-changes-pauses-and-rollouts')(
    'UpgradeRolledBack',
    'component',
    'A step of a change was not ready within spec.upgrade.stepDeadline. The control plane runs the last ready spec again.',
    'Read the message; revert or correct the change, or change spec.upgrade.stepDeadline to try again.',
  ),
  rowsIn(['Progressing'], 'blocked-changes-pauses-and-rollouts')(
    'AwaitingBackup',
    'none',
    'An upgrade waits until the KarmadaBackup before it is verified; status.upgrade.backup has its name.',
    'Wait. If the message says that the backup cannot be taken, correct what it names.',
  ),
  rowsIn(BLOCKED, 'blocked-changes-pauses-and-rollouts')(
    'UpgradeBackupFailed',
    'component',
    'The KarmadaBackup before an upgrade was not verified, so the upgrade does not start.',
    'Correct what the message names, then delete the KarmadaBackup; the operator takes another one. Or set spec.upgrade.backup to Never.',
  ),
  rowsIn(BLOCKED, 'blocked-changes-pauses-and-rollouts')(
    'UpgradeBackupMissing',
    'spec',
    'No backup can be taken before an upgrade: none is configured and spec.upgrade.backup is Required, or several stores exist and none is selected.',
    'Create a KarmadaBackupStore or a KarmadaBackupSchedule as the message says. Or set spec.upgrade.backup to Never.',
  ),
  rowsIn(['CertificatesValid', 'EtcdHealthy', 'EtcdReady'])(
    'Pending',
    'none',
    'The operator has not checked the certificates or etcd yet.',
    NO_ACTION,
  ),
  ready(
    'Deleting',
    'none',
    'The operator deletes the control plane; the message names what delays the deletion.',
    'Keep the operator running. If the message names an obstacle, resolve it.',
  ),
  ready(
    'DeletionUnconfirmed',
    'decision',
    'The Karmada is deleted, but member clusters are joined and spec.deletionPolicy is ConfirmMembers. Nothing is deleted yet.',
    'Remove the member clusters, or set the annotation that the message names.',
  ),
  rowsIn(['Suspended', 'Ready'], 'blocked-changes-pauses-and-rollouts')(
    'Suspended',
    'none',
    'The field spec.suspend is true. The operator changes nothing, but still processes a deletion.',
    'Set spec.suspend to false to continue.',
  ),
  rowsIn(
    ['Ready', 'Stalled', 'KarmadaBackup', 'KarmadaRestore'],
    'blocked-changes-pauses-and-rollouts',
  )(
    'NewerOperatorRequired',
    'operator',
    'The control plane uses a feature that this version of the operator does not know. The operator changes and deletes nothing of it.',
    'Install the newer operator again. Leave the feature, as docs/operate/upgrade.md says, before a downgrade.',
  ),
  rowsIn(['RepairPaused'], 'blocked-changes-pauses-and-rollouts')(
    'AnnotatedObjects',
    'decision',
    'Objects have the annotation operator.karmada.io/pause-repair: "true". The operator does not repair their drift.',
    'Take the annotation off the objects to resume the repair.',
  ),
  rowsIn(['Progressing', 'Stalled', 'EtcdAdopted'], 'blocked-changes-pauses-and-rollouts')(
    'RepairPaused',
    'decision',
    'An object must change, but has the annotation operator.karmada.io/pause-repair: "true". Later stages wait.',
    'Take the annotation off the object.',
  ),
  rowsIn(['OperatorRollout'])(
    'Waiting',
    'none',
    'A new version of the operator changes Pods of this control plane. The limit of --operator-rollout-limit is reached.',
    NO_ACTION,
  ),
  rowsIn(['OperatorRollout'], 'blocked-changes-pauses-and-rollouts')(
    'Stopped',
    'component',
    'The rollout of a new version of the operator failed in more control planes of this and of several other namespaces than --operator-rollout-failures allows, so the operator does not continue it here.',
    'Repair the Karmadas whose condition OperatorRollout has the reason Failed.',
  ),
  rowsIn(['OperatorRollout'], 'blocked-changes-pauses-and-rollouts')(
    'RolloutsPaused',
    'decision',
    'A new version of the operator changes Pods of this control plane, and --operator-rollout-limit=0 pauses these changes.',
    'Set another limit to continue.',
  ),
]);
