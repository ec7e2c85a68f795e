/** Reconciles one KarmadaBackupSchedule: creates the backup that is due, then writes the status. */
import { isDeepStrictEqual } from 'node:util';
import {
  BACKUP_GROUP,
  karmadaBackups,
  karmadaBackupSchedules,
  type KarmadaBackup,
  type KarmadaBackupSchedule,
} from '../../../api/backup/kinds.ts';
import { FIELD_MANAGER } from '../../../api/karmada.ts';
import { isWritten } from '../../../kubernetes/conditional-write.ts';
import { mergePatch } from '../../../kubernetes/merge-patch.ts';
import { apiVersionOf, keyOf } from '../../../kubernetes/resources.ts';
import type { ReconcileResult } from '../../../kubernetes/worker.ts';
import type { BackupTools } from '../pods/backup-objects.ts';
import { planSchedule } from './plan-schedule.ts';
import { expiredBackups } from './retention.ts';

/** Label of a KarmadaBackup: name of the schedule that created it. */
export const SCHEDULE_LABEL = `${BACKUP_GROUP}/schedule`;

/**
 * Reconciles a schedule.
 * @param backups those of its namespace
 * @throws ApiError, NetworkError
 */
export async function reconcileSchedule(
  schedule: KarmadaBackupSchedule,
  backups: readonly KarmadaBackup[],
  { client, clock }: Pick<BackupTools, 'client' | 'clock'>,
): Promise<ReconcileResult> {
  const { name, namespace = '', deletionTimestamp, resourceVersion = '' } = schedule.metadata;
  if (deletionTimestamp !== undefined) return {};
  const own = backups.filter(({ metadata }) => metadata.labels?.[SCHEDULE_LABEL] === name);
  const { create, status, afterMs } = planSchedule(schedule, own, clock.wall());
  if (create !== undefined) {
    const object = {
      apiVersion: apiVersionOf(karmadaBackups),
      kind: karmadaBackups.kind,
      metadata: { name: create, namespace, labels: { [SCHEDULE_LABEL]: name } },
      spec: schedule.spec.template,
    };
    // A backup with this name exists if the process ended before it wrote the status.
    await isWritten(client.create(object, { fieldManager: FIELD_MANAGER }));
  }
  for (const expired of expiredBackups(schedule, own))
    await isWritten(client.delete(karmadaBackups, { namespace, name: expired }));
  if (!isDeepStrictEqual(status, schedule.status)) {
    const change = {
      metadata: { resourceVersion },
      status: mergePatch({ ...schedule.status }, { ...status }),
    };
    const options = { fieldManager: FIELD_MANAGER, subresource: 'status' };
    await isWritten(client.patch(karmadaBackupSchedules, keyOf(schedule), change, options));
  }
  return afterMs === undefined ? {} : { requeueAfterMs: afterMs };
}
