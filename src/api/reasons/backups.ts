/** Reasons of the conditions of backups and of their schedules. */
import type { ConditionReason } from './reason.ts';

const scheduled = (reason: string, meaning: string, action: string): ConditionReason => ({
  ...{ reason, types: ['KarmadaBackupSchedule'], meaning, action },
});

const row = (reason: string, meaning: string, action: string): ConditionReason => ({
  ...{ reason, types: ['KarmadaBackup'], meaning, action },
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
  row(
    'NoImage',
    'The operator does not know its own image, so it cannot start the Pod.',
    'Set the flag --backup-image; the Helm chart does.',
  ),
  row(
    'KarmadaNotFound',
    'The Karmada of the backup does not exist in the namespace.',
    'Correct spec.karmadaRef, or create the Karmada.',
  ),
  row(
    'StoreNotFound',
    'The KarmadaBackupStore of the backup does not exist in the namespace.',
    'Create the KarmadaBackupStore.',
  ),
  row('EtcdNotFound', 'The control plane has no etcd yet.', 'Wait until the Karmada is Ready.'),
  row(
    'NotSupported',
    'The operator does not back up control planes of this kind.',
    'Read in the message what is not supported.',
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
];
