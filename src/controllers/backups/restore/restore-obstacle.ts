/** What a restore lacks before it can be confirmed: pure. */
import type { Reason } from '../../../api/reasons/condition-reasons.ts';
import type {
  KarmadaBackup,
  KarmadaBackupStore,
  KarmadaRestore,
} from '../../../api/backup/kinds.ts';
import { RECOVER_ANNOTATION } from '../../../etcd-cluster/recovery/survivors.ts';
import { isOriginRecorded, notProvenText } from '../../../features/backups/backup-origin.ts';
import { notRestorable } from '../../../features/backups/supported.ts';
import { authorityDifference, differenceText } from './authority-difference.ts';
import type { RestoreFacts } from './restore-facts.ts';
import type { RestoreReport } from './restore-status.ts';

const pending = (reason: Reason, message: string): RestoreReport => ({
  ...{ phase: 'Pending', reason, message },
});

/** Returns what is missing or not supported; undefined if nothing is. */
export function obstacleOf(
  restore: KarmadaRestore,
  facts: RestoreFacts,
): RestoreReport | undefined {
  return (
    planeObstacle(restore, facts) ??
    backupObstacle(restore, facts) ??
    authorityObstacle(facts) ??
    secretObstacle(facts)
  );
}

function planeObstacle(
  { spec }: KarmadaRestore,
  { karmada, hostProblem, record }: RestoreFacts,
): RestoreReport | undefined {
  const { name } = spec.karmadaRef;
  if (karmada === undefined) return pending('KarmadaNotFound', `Karmada ${name} not found`);
  const refused = notRestorable(karmada);
  if (refused !== undefined) return pending('NotSupported', refused);
  if (hostProblem !== undefined) return pending(hostProblem.reason, hostProblem.message);
  if (record?.state !== 'born')
    return pending(
      'EtcdNotFound',
      `Karmada ${name} has no etcd yet; a restore replaces the data of an etcd that was started once`,
    );
  const other = otherRecovery(undefined, { karmada, record });
  return other === undefined ? undefined : pending('OtherRecovery', otherText(other));
}

/** Recovery in progress, or one that the annotation of the Karmada asks for. @param own value of this restore */
export function otherRecovery(
  own: string | undefined,
  { karmada, record }: Pick<RestoreFacts, 'karmada' | 'record'>,
): string | undefined {
  const { recovery, recovered = [] } = record ?? {};
  const { [RECOVER_ANNOTATION]: asked = own } = karmada?.metadata.annotations ?? {};
  // A value is executed once, and may stay on the Karmada.
  const open = recovered.some((value) => value === asked) ? own : asked;
  const other = recovery?.from ?? open;
  return other === own ? undefined : other;
}

/** What a restore waits for. @param other value of the other recovery */
export const otherText = (other: string): string =>
  `another recovery of etcd is in progress or asked for (${other}); wait for its end, or withdraw it: for a member, remove the annotation ${RECOVER_ANNOTATION} of the Karmada; for a KarmadaRestore, its spec.confirmation`;

/** What is missing of the backup; undefined if nothing is. */
export function backupObstacle(
  { spec }: KarmadaRestore,
  { backup, store, hasImage }: RestoreFacts,
): RestoreReport | undefined {
  const { name } = spec.backupRef;
  if (!hasImage) return pending('NoImage', 'the operator runs without the flag --backup-image');
  if (backup === undefined) return pending('BackupNotFound', `KarmadaBackup ${name} not found`);
  const { phase = 'Pending' } = backup.status ?? {};
  if (phase !== 'Verified')
    return pending('BackupNotVerified', `KarmadaBackup ${name} is ${phase}, not Verified`);
  const { name: saved } = backup.spec.karmadaRef;
  if (saved !== spec.karmadaRef.name)
    return pending(
      'NotSupported',
      `spec.karmadaRef.name: KarmadaBackup ${name} is of Karmada ${saved}, whose data cannot be used under another name; restore it into a Karmada with this name`,
    );
  if (store === undefined)
    return pending('StoreNotFound', `KarmadaBackupStore ${backup.spec.storeRef.name} not found`);
  return keyObstacle(spec, backup, store);
}

/** The recorded key is the only one that a restore uses. */
function keyObstacle(
  { keyID, backupRef }: KarmadaRestore['spec'],
  { status }: KarmadaBackup,
  store: KarmadaBackupStore,
): RestoreReport | undefined {
  const { manifestSHA256, keyID: recorded } = status ?? {};
  const name = `KarmadaBackup ${backupRef.name}`;
  if (manifestSHA256 !== undefined && keyID !== undefined && keyID !== recorded)
    return pending(
      'BackupKeyDiffers',
      `spec.keyID: ${name} has ${recorded === undefined ? 'no key' : `the key ${recorded}`}, as its status records, and not ${keyID}; create a KarmadaRestore without spec.keyID`,
    );
  if (recorded !== undefined && store.spec.encryption.mode === 'None')
    return pending(
      'BackupKeyDiffers',
      `${name} is encrypted with the key ${recorded}, and KarmadaBackupStore ${store.metadata.name} has spec.encryption.mode None; name the Secret of the key there`,
    );
  return undefined;
}

/** Without a recorded digest anybody with the key can have chosen the CA of the backup. */
function authorityObstacle(facts: RestoreFacts): RestoreReport | undefined {
  const { backup } = facts;
  const difference = authorityDifference(facts);
  if (difference === undefined || backup === undefined || isOriginRecorded(backup))
    return undefined;
  return pending(
    'AuthorityDiffers',
    `${differenceText(difference)}; ${notProvenText(backup.metadata.name, backup)}; create the Karmada with the Secret NAME-ca-backup of the backup first`,
  );
}

/** What is missing in the Secrets of the store; undefined if nothing is. The Pod of a restore has copies of them. */
export const secretObstacle = ({ storeProblem }: RestoreFacts): RestoreReport | undefined =>
  storeProblem && pending(storeProblem.reason, storeProblem.message);
