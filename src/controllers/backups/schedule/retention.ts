/** Which backups of a schedule are not kept: pure. */
import {
  createdAt,
  type KarmadaBackup,
  type KarmadaBackupSchedule,
} from '../../../api/backup/kinds.ts';
import { isTerminating } from '../../../kubernetes/objects/object.ts';
import { isFinal } from '../../../features/backups/backup-status.ts';

/**
 * Returns the names of the backups that are older than the last verified ones that the schedule keeps. A backup that was not
 * verified never counts as kept, so nothing is deleted before there are enough verified ones.
 * @param backups those of the schedule
 */
export function expiredBackups(
  { spec: { retention } }: Pick<KarmadaBackupSchedule, 'spec'>,
  backups: readonly KarmadaBackup[],
): readonly string[] {
  if (retention === undefined) return [];
  const verified = backups
    .filter(({ status }) => status?.phase === 'Verified')
    .sort((one, other) => (createdAt(one) < createdAt(other) ? 1 : -1));
  const oldest = verified[retention.keepLast - 1];
  if (oldest === undefined) return [];
  return backups
    .filter((backup) => createdAt(backup) < createdAt(oldest))
    .filter((backup) => isFinal(backup.status?.phase) && !isTerminating(backup))
    .map(({ metadata }) => metadata.name)
    .sort();
}
