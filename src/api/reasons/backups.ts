/** Reasons of the conditions of backups, and of their stores and schedules. */
import { reasonTable, rowsIn } from './reason.ts';

const scheduled = rowsIn(['KarmadaBackupSchedule']);
const row = rowsIn(['KarmadaBackup']);
const shared = rowsIn(['KarmadaBackup', 'KarmadaRestore']);
const stored = rowsIn(['KarmadaBackupStore']);
const everywhere = rowsIn(['KarmadaBackup', 'KarmadaBackupStore', 'KarmadaRestore']);

export const BACKUP_REASONS = reasonTable([
  row('Running', 'none', 'The Pod of the backup saves the data of etcd.', 'Wait.'),
  row('Verifying', 'none', 'The backup is stored, and is restored into a scratch etcd.', 'Wait.'),
  row('Verified', 'none', 'The restored data equals that of etcd.', 'None.'),
  row(
    'ProofFailed',
    'component',
    'The backup is stored, but could not be restored, or the restored data differs.',
    'Read the message, and do not rely on this backup; create another one.',
  ),
  row(
    'BackupFailed',
    'component',
    'The Pod of the backup failed before the backup was complete. The store has no manifest of it.',
    'Correct what the message names, then create another KarmadaBackup.',
  ),
  row(
    'PodGone',
    'component',
    'The Pod of the backup was deleted before it ended.',
    'Create another KarmadaBackup.',
  ),
  row(
    'DeletingFiles',
    'none',
    'The KarmadaBackup was deleted, and a Pod deletes its files.',
    'Wait.',
  ),
  row(
    'InUse',
    'none',
    'The KarmadaBackup was deleted, and a restore still reads its files.',
    'Wait until the restore has ended, or withdraw it.',
  ),
  row(
    'ObjectsLocked',
    'none',
    'The KarmadaBackup was deleted, and the object lock of its store still keeps the files.',
    'Wait until the time in the message. Without its finalizer the KarmadaBackup leaves its files.',
  ),
  row(
    'DeletionFailed',
    'volume',
    'The files of a deleted KarmadaBackup could not be deleted. The operator tries again.',
    'Correct what the message names. Without its finalizer the KarmadaBackup leaves its files.',
  ),
  everywhere(
    'NoImage',
    'operator',
    'The operator does not know its own image, so it cannot start the Pod.',
    'Set the flag --backup-image; the Helm chart does.',
  ),
  shared(
    'KarmadaNotFound',
    'spec',
    'The Karmada does not exist in the namespace.',
    'Correct spec.karmadaRef, or create the Karmada.',
  ),
  shared(
    'StoreNotFound',
    'spec',
    'The KarmadaBackupStore of the backup does not exist in the namespace.',
    'Create the KarmadaBackupStore.',
  ),
  row(
    'PodRefused',
    'admission',
    'The API server refuses the Pod of the backup, for example because its ServiceAccount does not exist.',
    'Correct what the message names: the ServiceAccount, a quota, an admission policy or a permission of the operator.',
  ),
  everywhere(
    'StoreSecretNotFound',
    'secret',
    'A Secret of the KarmadaBackupStore does not exist.',
    'Create the Secret that the message names.',
  ),
  everywhere(
    'StoreSecretInvalid',
    'secret',
    'A Secret of the KarmadaBackupStore lacks a key, or its encryption key is not valid.',
    'Correct the Secret that the message names.',
  ),
  shared(
    'EtcdNotFound',
    'spec',
    'The control plane has no etcd yet.',
    'Wait until the Karmada is Ready.',
  ),
  shared(
    'NotSupported',
    'spec',
    'The operator does not back up or restore this control plane, or not from this backup.',
    'Read in the message what is not supported.',
  ),
  stored(
    'ProbeSucceeded',
    'none',
    'A Pod has written, listed, read and deleted an object.',
    'None.',
  ),
  stored(
    'ProbeFailed',
    'volume',
    'The Pod that probes the bucket failed. It is started again after 10 minutes, and after a change of the store or its Secrets.',
    'Correct what the message names.',
  ),
  stored('Probing', 'none', 'A Pod probes the bucket.', 'Wait.'),
  stored(
    'ProbeDisabled',
    'none',
    'The field spec.probe is Never, so only the Secrets of the store were checked.',
    'None, or set spec.probe to Daily.',
  ),
  stored(
    'ClaimFound',
    'none',
    'The PersistentVolumeClaim and the Secrets of the store exist.',
    'None.',
  ),
  stored(
    'ClaimNotFound',
    'volume',
    'The PersistentVolumeClaim of the store does not exist in the management cluster.',
    'Create it. For control planes in remote host clusters it must exist there.',
  ),
  scheduled('Scheduled', 'none', 'Backups are created at the times of the schedule.', 'None.'),
  scheduled(
    'PreviousBackupRunning',
    'spec',
    'A backup is due, and an earlier one of the schedule has not ended.',
    'Wait. If it happens often, choose longer pauses.',
  ),
  scheduled(
    'ScheduleSuspended',
    'none',
    'The schedule creates no backups, because spec.suspend is true.',
    'Set it to false for further backups.',
  ),
  scheduled(
    'InvalidSchedule',
    'spec',
    'The cron expression or the time zone is not valid, or has no time.',
    'Correct spec.schedule or spec.timeZone, which the message names.',
  ),
  row(
    'OriginRecorded',
    'none',
    'The operator took the backup, and its status identifies the files.',
    'None.',
  ),
  row(
    'OriginNotRecorded',
    'decision',
    'The operator did not store these files, or an earlier version did: nothing but the encryption key proves who wrote them.',
    'Restore it only if you trust the store, or take another backup.',
  ),
]);
