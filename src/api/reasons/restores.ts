/** Reasons of the conditions of restores. */
import { PROBLEM, reasonTable, rowsIn } from './reason.ts';

const restored = rowsIn(['KarmadaRestore']);

export const RESTORE_REASONS = reasonTable([
  restored(
    'BackupNotFound',
    'spec',
    'The KarmadaBackup does not exist in the namespace.',
    'Name an existing KarmadaBackup in another KarmadaRestore.',
  ),
  restored(
    'BackupNotVerified',
    'spec',
    'The backup was not verified, so it is not restored.',
    'Wait, or choose a verified backup in another KarmadaRestore.',
  ),
  restored(
    'OtherRecovery',
    'none',
    'Another recovery of the etcd is in progress, or has replaced the etcd cluster that was confirmed.',
    'Wait until it has ended, or withdraw it. If the phase is Withdrawn, create another KarmadaRestore.',
  ),
  restored(
    'BackupKeyDiffers',
    'spec',
    'The field spec.keyID, or the store, contradicts the key that the status of the KarmadaBackup records.',
    'Create a KarmadaRestore without spec.keyID, or name the Secret with the key in the store.',
  ),
  restored(
    'AuthorityDiffers',
    'decision',
    'The control plane has another CA than the backup. Credentials in the restored data that the former CA issued are not valid.',
    'Compare the fingerprints in the message. If the restore waits for a confirmation, set spec.caConfirmation; otherwise create the Karmada with the CA backup Secret of the backup first.',
  ),
  restored(
    'AwaitingConfirmation',
    'decision',
    'The restore would replace all data, and waits for a confirmation.',
    'Check what the message names, then set spec.confirmation.',
  ),
  restored(
    'ConfirmationRefused',
    'decision',
    'The field spec.confirmation is not the ID of the present etcd cluster.',
    'Check that the Karmada is the right one, then copy status.clusterID.',
  ),
  restored(
    'Restoring',
    'none',
    'The backup is loaded, or etcd moves to its data.',
    'Wait. The message has the progress.',
  ),
  restored(
    'DataReplaced',
    'none',
    'The data of the backup has replaced the former data, and the API servers start.',
    'Wait. The message has the progress. The restore cannot be withdrawn any more.',
  ),
  restored(
    'Withdrawn',
    'none',
    'The restore was withdrawn before the data was replaced.',
    'None. The data is unchanged.',
  ),
  rowsIn(['KarmadaRestore', 'components', ...PROBLEM])(
    'PropagationPaused',
    'decision',
    'The components karmada-controller-manager, karmada-scheduler and karmada-descheduler do not run, so that nothing changes in member clusters.',
    'Compare the member clusters with the restored data (kubectl karmada-operator propagation), then set spec.propagation of the KarmadaRestore to Resumed.',
  ),
  restored('Restored', 'none', 'The data of the backup serves.', 'None.'),
]);
