/** What a restore lacks before it can be confirmed: pure. */
import type { KarmadaRestore } from '../../../api/backup/kinds.ts';
import { notRestorable } from '../supported.ts';
import type { RestoreFacts } from './restore-facts.ts';
import type { RestoreReport } from './restore-status.ts';

const pending = (reason: string, message: string): RestoreReport => ({
  ...{ phase: 'Pending', reason, message },
});

/** Returns what is missing or not supported; undefined if nothing is. */
export function obstacleOf(
  restore: KarmadaRestore,
  facts: RestoreFacts,
): RestoreReport | undefined {
  return planeObstacle(restore, facts) ?? backupObstacle(restore, facts);
}

function planeObstacle(
  { spec }: KarmadaRestore,
  { karmada, record }: RestoreFacts,
): RestoreReport | undefined {
  const { name } = spec.karmadaRef;
  if (karmada === undefined) return pending('KarmadaNotFound', `Karmada ${name} not found`);
  const refused = notRestorable(karmada);
  if (refused !== undefined) return pending('NotSupported', refused);
  if (record?.state !== 'born')
    return pending(
      'EtcdNotFound',
      `Karmada ${name} has no etcd yet; a restore replaces the data of an etcd that was started once`,
    );
  if (record.recovery !== undefined)
    return pending(
      'OtherRecovery',
      `another recovery of etcd is in progress (${record.recovery.from})`,
    );
  return undefined;
}

function backupObstacle(
  { spec }: KarmadaRestore,
  { backup, store, hasImage }: RestoreFacts,
): RestoreReport | undefined {
  const { name } = spec.backupRef;
  if (!hasImage) return pending('NoImage', 'the operator runs without the flag --backup-image');
  if (backup === undefined) return pending('BackupNotFound', `KarmadaBackup ${name} not found`);
  const { phase = 'Pending' } = backup.status ?? {};
  if (phase !== 'Verified')
    return pending('BackupNotVerified', `KarmadaBackup ${name} is ${phase}, not Verified`);
  if (store === undefined)
    return pending('StoreNotFound', `KarmadaBackupStore ${backup.spec.storeRef.name} not found`);
  return undefined;
}
