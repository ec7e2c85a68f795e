/** Reasons of installation, upgrade and deletion. */
import { BLOCKED, NO_ACTION, PROBLEM, reasonTable, rowsIn } from './reason.ts';

const ready = rowsIn(['Ready']);

export const PROGRESS_REASONS = reasonTable([
  {
    reason: 'ProgressDeadlineExceeded',
    fault: 'component',
    types: PROBLEM,
    meaning:
      'The control plane is not ready, has made no progress for the time of --progress-deadline, and no other cause is known.',
    action: 'Check the objects that the message names, and their Events.',
  },
  {
    reason: 'Completed',
    fault: 'none',
    types: ['Ready', 'Progressing'],
    meaning: 'All components run as the spec requires. No change is pending.',
    action: NO_ACTION,
  },
  {
    reason: 'Progressing',
    fault: 'none',
    types: ['Ready', 'Progressing', 'components', 'HostReachable', 'OperatorRollout'],
    meaning:
      'The operator installs or changes the control plane; the message names the next steps.',
    action: 'Wait. If the message stays the same, check the object that it names.',
  },
  {
    reason: 'Available',
    fault: 'none',
    types: ['components'],
    meaning: 'The component runs with the desired Pod template and is ready.',
    action: NO_ACTION,
  },
  {
    reason: 'AsExpected',
    fault: 'none',
    types: ['Degraded'],
    meaning: 'The operator found no error that requires user action.',
    action: NO_ACTION,
  },
  {
    reason: 'Failed',
    fault: 'none',
    types: ['Ready', 'OperatorRollout'],
    meaning:
      'An error requires user action. OperatorRollout: the rollout of a new operator version failed in this control plane.',
    action: 'Read the message and the reason of the condition Degraded.',
  },
  ready(
    'ChangeBlocked',
    'none',
    'The operator does not apply a change, because it could lose data or is not supported.',
    'Read the message; the condition Progressing has the exact reason.',
  ),
  {
    reason: 'UpgradeRolledBack',
    fault: 'component',
    section: 'blocked-changes-pauses-and-rollouts',
    types: ['Ready', ...BLOCKED],
    meaning:
      'A step of a change was not ready within spec.upgrade.stepDeadline. The control plane runs the last ready spec again.',
    action:
      'Read the message; revert or correct the change, or change spec.upgrade.stepDeadline to try again.',
  },
  {
    reason: 'AwaitingBackup',
    fault: 'none',
    section: 'blocked-changes-pauses-and-rollouts',
    types: ['Progressing'],
    meaning:
      'An upgrade waits until the KarmadaBackup before it is verified; status.upgrade.backup has its name.',
    action: 'Wait. If the message says that the backup cannot be taken, correct what it names.',
  },
  {
    reason: 'UpgradeBackupFailed',
    fault: 'component',
    section: 'blocked-changes-pauses-and-rollouts',
    types: BLOCKED,
    meaning: 'The KarmadaBackup before an upgrade was not verified, so the upgrade does not start.',
    action:
      'Correct what the message names, then delete the KarmadaBackup; the operator takes another one. Or set spec.upgrade.backup to Never.',
  },
  {
    reason: 'UpgradeBackupMissing',
    fault: 'spec',
    section: 'blocked-changes-pauses-and-rollouts',
    types: BLOCKED,
    meaning:
      'No backup can be taken before an upgrade: none is configured and spec.upgrade.backup is Required, or several stores exist and none is selected.',
    action:
      'Create a KarmadaBackupStore or a KarmadaBackupSchedule as the message says. Or set spec.upgrade.backup to Never.',
  },
  {
    reason: 'Pending',
    fault: 'none',
    types: ['CertificatesValid', 'EtcdHealthy', 'EtcdReady'],
    meaning: 'The operator has not checked the certificates or etcd yet.',
    action: NO_ACTION,
  },
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
  {
    reason: 'Suspended',
    fault: 'none',
    section: 'blocked-changes-pauses-and-rollouts',
    types: ['Suspended', 'Ready'],
    meaning:
      'The field spec.suspend is true. The operator changes nothing, but still processes a deletion.',
    action: 'Set spec.suspend to false to continue.',
  },
  {
    reason: 'NewerOperatorRequired',
    fault: 'operator',
    section: 'blocked-changes-pauses-and-rollouts',
    types: ['Ready', 'Stalled', 'KarmadaBackup', 'KarmadaRestore'],
    meaning:
      'The control plane uses a feature that this version of the operator does not know. The operator changes and deletes nothing of it.',
    action:
      'Install the newer operator again. Leave the feature, as docs/operate/upgrade.md says, before a downgrade.',
  },
  {
    reason: 'AnnotatedObjects',
    fault: 'decision',
    section: 'blocked-changes-pauses-and-rollouts',
    types: ['RepairPaused'],
    meaning:
      'Objects have the annotation operator.karmada.io/pause-repair: "true". The operator does not repair their drift.',
    action: 'Take the annotation off the objects to resume the repair.',
  },
  {
    reason: 'RepairPaused',
    fault: 'decision',
    section: 'blocked-changes-pauses-and-rollouts',
    types: ['Progressing', 'Stalled', 'EtcdAdopted'],
    meaning:
      'An object must change, but has the annotation operator.karmada.io/pause-repair: "true". Later stages wait.',
    action: 'Take the annotation off the object.',
  },
  {
    reason: 'Waiting',
    fault: 'none',
    types: ['OperatorRollout'],
    meaning:
      'A new version of the operator changes Pods of this control plane. The limit of --operator-rollout-limit is reached.',
    action: NO_ACTION,
  },
  {
    reason: 'Stopped',
    fault: 'component',
    section: 'blocked-changes-pauses-and-rollouts',
    types: ['OperatorRollout'],
    meaning:
      'The rollout of a new version of the operator failed in more control planes than --operator-rollout-failures allows, so the operator does not continue it.',
    action: 'Repair the Karmadas whose condition OperatorRollout has the reason Failed.',
  },
  {
    reason: 'RolloutsPaused',
    fault: 'decision',
    section: 'blocked-changes-pauses-and-rollouts',
    types: ['OperatorRollout'],
    meaning:
      'A new version of the operator changes Pods of this control plane, and --operator-rollout-limit=0 pauses these changes.',
    action: 'Set another limit to continue.',
  },
]);
