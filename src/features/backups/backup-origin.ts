/**
 * What is known about the origin of the files of a backup: pure. A user who can write to the store, and has an encryption
 * key, can write a backup. Only a digest that the operator recorded when it took the backup proves that the files are those of that time.
 */
import type { KarmadaBackup, KarmadaBackupStore } from '../../api/backup/kinds.ts';
import type { JobConfig } from '../../backup/job/config.ts';
import { storeConfig } from '../../backup/store-access.ts';

/** Whether the operator recorded the manifest when it took the backup. */
export const isOriginRecorded = ({
  spec,
  status,
}: Pick<KarmadaBackup, 'spec' | 'status'>): boolean =>
  spec.folder === undefined && status?.manifestSHA256 !== undefined;

/** Why the origin of a backup is not proven. @param name of the KarmadaBackup */
export const notProvenText = (name: string, { spec }: Pick<KarmadaBackup, 'spec'>): string =>
  spec.folder === undefined
    ? `origin not proven: KarmadaBackup ${name} has no status.manifestSHA256, so a user with access to the store and to the encryption key may have replaced its files`
    : `origin not proven: KarmadaBackup ${name} did not store the files of spec.folder, so a user with access to the store and to the encryption key may have written them`;

/**
 * Key and manifest of a backup for a Pod that reads it. The store has no say in this.
 * @param named key that the user names for a backup whose status records none
 */
export function recordedAccess(
  { status }: Pick<KarmadaBackup, 'status'>,
  store: KarmadaBackupStore,
  named: string | undefined,
): Pick<JobConfig, 'encryption' | 'manifestSHA256'> {
  const { manifestSHA256, keyID } = status ?? {};
  if (manifestSHA256 !== undefined)
    return { manifestSHA256, encryption: keyID === undefined ? 'None' : { keyID } };
  const { encryption } = storeConfig(store);
  return { encryption: encryption === 'None' ? encryption : { keyID: named ?? encryption.keyID } };
}
