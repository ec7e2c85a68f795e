/** Reconciles one KarmadaBackupSchedule: creates the backup that is due, then writes the status. */
import {
  BACKUP_GROUP,
  karmadaBackups,
  karmadaBackupSchedules,
  type KarmadaBackup,
  type KarmadaBackupSchedule,
} from '../../../api/backup/kinds.ts';
import type { BackupAction } from '../../../actions/backup-action.ts';
import { isTerminating } from '../../../kubernetes/objects/object.ts';
import { apiVersionOf } from '../../../kubernetes/objects/resources.ts';
import type { ReconcileResult } from '../../../kubernetes/workqueue/worker.ts';
import { actorOf } from '../pods/backup-executors.ts';
import { statusActions, type BackupTools } from '../pods/backup-objects.ts';
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
  tools: Pick<BackupTools, 'client' | 'clock' | 'record'>,
): Promise<ReconcileResult> {
  if (isTerminating(schedule)) return {};
  const { name, namespace = '' } = schedule.metadata;
  const own = backups.filter(({ metadata }) => metadata.labels?.[SCHEDULE_LABEL] === name);
  const { create, status, afterMs } = planSchedule(schedule, own, tools.clock.wall());
  const act = actorOf(tools);
  // A backup with this name exists if the process ended before it wrote the status.
  if (create !== undefined) await act(creation(schedule, create));
  for (const expired of expiredBackups(schedule, own))
    await act({ kind: 'deleteBackup', key: { namespace, name: expired } });
  await act(...statusActions(karmadaBackupSchedules, schedule, status));
  return afterMs === undefined ? {} : { requeueAfterMs: afterMs };
}

const creation = (
  { metadata: { name: schedule, namespace = '' }, spec }: KarmadaBackupSchedule,
  name: string,
): BackupAction => ({
  kind: 'createBackup',
  backup: {
    apiVersion: apiVersionOf(karmadaBackups),
    kind: karmadaBackups.kind,
    metadata: { name, namespace, labels: { [SCHEDULE_LABEL]: schedule } },
    spec: spec.template,
  },
});
