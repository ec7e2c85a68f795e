/** Reasons of the conditions of backups and of their schedules. */
import { PROBLEM, type ConditionReason } from './reason.ts';

const scheduled = (reason: string, meaning: string, action: string): ConditionReason => ({
  ...{ reason, types: ['KarmadaBackupSchedule'], meaning, action },
});

const row = (reason: string, meaning: string, action: string): ConditionReason => ({
  ...{ reason, types: ['KarmadaBackup'], meaning, action },
});

const shared = (reason: string, meaning: string, action: string): ConditionReason => ({
  ...{ reason, types: ['KarmadaBackup', 'KarmadaRestore'], meaning, action },
});

const stored = (reason: string, meaning: string, action: string): ConditionReason => ({
  ...{ reason, types: ['KarmadaBackupStore'], meaning, action },
});

const everywhere = (reason: string, meaning: string, action: string): ConditionReason => ({
  ...{ reason, types: ['KarmadaBackup', 'KarmadaBackupStore', 'KarmadaRestore'] },
  ...{ meaning, action },
});

const restored = (reason: string, meaning: string, action: string): ConditionReason => ({
  ...{ reason, types: ['KarmadaRestore'], meaning, action },
});

export const BACKUP_REASONS: readonly ConditionReason[] = [
  row('Running', 'The Pod of the backup saves the data of etcd.', 'Wait.'),
  row('Verifying', 'The backup is stored, and is restored into a scratch etcd.', 'Wait.'),
  row('Verified', 'The restored data equals that of etcd.', 'None.'),
  row(
    'ProofFailed',
    'The backup is stored, but could not be restored, or the restored data differs.',
    'Read the message, and do not rely on this backup; create another one.',
  ),
  row(
    'BackupFailed',
    'The Pod of the backup failed before the backup was complete. The store has no manifest of it.',
    'Correct what the message names, then create another KarmadaBackup.',
  ),
  row(
    'PodGone',
    'The Pod of the backup was deleted before it ended.',
    'Create another KarmadaBackup.',
  ),
  row('DeletingFiles', 'The KarmadaBackup was deleted, and a Pod deletes its files.', 'Wait.'),
  row(
    'InUse',
    'The KarmadaBackup was deleted, and a restore still reads its files.',
    'Wait until the restore has ended, or withdraw it.',
  ),
  row(
    'ObjectsLocked',
    'The KarmadaBackup was deleted, and the object lock of its store still keeps the files.',
    'Wait until the time in the message. Without its finalizer the KarmadaBackup leaves its files.',
  ),
  row(
    'DeletionFailed',
    'The files of a deleted KarmadaBackup could not be deleted. The operator tries again.',
    'Correct what the message names. Without its finalizer the KarmadaBackup leaves its files.',
  ),
  everywhere(
    'NoImage',
    'The operator does not know its own image, so it cannot start the Pod.',
    'Set the flag --backup-image; the Helm chart does.',
  ),
  shared(
    'KarmadaNotFound',
    'The Karmada does not exist in the namespace.',
    'Correct spec.karmadaRef, or create the Karmada.',
  ),
  shared(
    'StoreNotFound',
    'The KarmadaBackupStore of the backup does not exist in the namespace.',
    'Create the KarmadaBackupStore.',
  ),
  row(
    'PodRefused',
    'The API server refuses the Pod of the backup, for example because its ServiceAccount does not exist.',
    'Correct what the message names: the ServiceAccount, a quota, an admission policy or a permission of the operator.',
  ),
  everywhere(
    'StoreSecretNotFound',
    'A Secret of the KarmadaBackupStore does not exist.',
    'Create the Secret that the message names.',
  ),
  everywhere(
    'StoreSecretInvalid',
    'A Secret of the KarmadaBackupStore lacks a key, or its encryption key is not valid.',
    'Correct the Secret that the message names.',
  ),
  shared('EtcdNotFound', 'The control plane has no etcd yet.', 'Wait until the Karmada is Ready.'),
  shared(
    'NotSupported',
    'The operator does not back up or restore this control plane, or not from this backup.',
    'Read in the message what is not supported.',
  ),
  stored('ProbeSucceeded', 'A Pod has written, listed, read and deleted an object.', 'None.'),
  stored(
    'ProbeFailed',
    'The Pod that probes the bucket failed. It is started again after 10 minutes, and after a change of the store or its Secrets.',
    'Correct what the message names.',
  ),
  stored('Probing', 'A Pod probes the bucket.', 'Wait.'),
  stored(
    'ProbeDisabled',
    'The field spec.probe is Never, so only the Secrets of the store were checked.',
    'None, or set spec.probe to Daily.',
  ),
  stored('ClaimFound', 'The PersistentVolumeClaim and the Secrets of the store exist.', 'None.'),
  stored(
    'ClaimNotFound',
    'The PersistentVolumeClaim of the store does not exist in the management cluster.',
    'Create it. For control planes in remote host clusters it must exist there.',
  ),
  scheduled('Scheduled', 'Backups are created at the times of the schedule.', 'None.'),
  scheduled(
    'PreviousBackupRunning',
    'A backup is due, and an earlier one of the schedule has not ended.',
    'Wait. If it happens often, choose longer pauses.',
  ),
  scheduled(
    'ScheduleSuspended',
    'The schedule creates no backups, because spec.suspend is true.',
    'Set it to false for further backups.',
  ),
  scheduled(
    'InvalidSchedule',
    'The cron expression or the time zone is not valid, or has no time.',
    'Correct spec.schedule or spec.timeZone, which the message names.',
  ),
  restored(
    'BackupNotFound',
    'The KarmadaBackup does not exist in the namespace.',
    'Name an existing KarmadaBackup in another KarmadaRestore.',
  ),
  restored(
    'BackupNotVerified',
    'The backup was not verified, so it is not restored.',
    'Wait, or choose a verified backup in another KarmadaRestore.',
  ),
  restored(
    'OtherRecovery',
    'Another recovery of the etcd is in progress.',
    'Wait until it has ended, or withdraw it.',
  ),
  restored(
    'AwaitingConfirmation',
    'The restore would replace all data, and waits for a confirmation.',
    'Check what the message names, then set spec.confirmation.',
  ),
  restored(
    'ConfirmationRefused',
    'The field spec.confirmation is not the ID of the present etcd cluster.',
    'Check that the Karmada is the right one, then copy status.clusterID.',
  ),
  restored(
    'Restoring',
    'The backup is loaded, or etcd moves to its data.',
    'Wait. The message has the progress.',
  ),
  restored(
    'Withdrawn',
    'The restore was withdrawn before the data was replaced.',
    'None. The data is unchanged.',
  ),
  {
    reason: 'PropagationPaused',
    types: ['KarmadaRestore', 'components', ...PROBLEM],
    meaning:
      'The components karmada-controller-manager, karmada-scheduler and karmada-descheduler do not run, so that nothing changes in member clusters.',
    action:
      'Compare the member clusters with the restored data (kubectl karmada-operator propagation), then set spec.propagation of the KarmadaRestore to Resumed.',
  },
  restored('Restored', 'The data of the backup serves.', 'None.'),
];
