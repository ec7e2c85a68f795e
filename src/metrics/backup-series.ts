/** Series of the backups of one control plane: pure. */
import type { BackupFacts } from '../controllers/backups/schedule/backup-facts.ts';
import { seconds, series, type Series } from './control-plane-series.ts';

/** Series of the backups. */
export function backupSeries({
  phases,
  verified,
  hasFailed,
  schedules,
}: BackupFacts): readonly Series[] {
  return [
    ...[...phases].map(([phase, count]) => series('backups', [phase], count)),
    ...(hasFailed === undefined ? [] : [series('backup_last_failed', [], Number(hasFailed))]),
    ...verifiedSeries(verified?.status ?? {}),
    ...schedules.flatMap(({ name, lastSuccess, intervalMs }) => [
      ...seconds(lastSuccess).map((value) =>
        series('backup_schedule_last_success_timestamp_seconds', [name], value),
      ),
      series('backup_schedule_interval_seconds', [name], intervalMs / 1_000),
    ]),
  ];
}

function verifiedSeries({
  takenAt,
  startedAt,
  verifiedAt,
  sizeBytes,
}: NonNullable<NonNullable<BackupFacts['verified']>['status']>): readonly Series[] {
  const [from] = seconds(startedAt);
  const [to] = seconds(verifiedAt);
  return [
    ...seconds(takenAt ?? startedAt).map((value) =>
      series('backup_last_success_timestamp_seconds', [], value),
    ),
    ...(sizeBytes === undefined ? [] : [series('backup_last_size_bytes', [], sizeBytes)]),
    ...(from === undefined || to === undefined
      ? []
      : [series('backup_last_duration_seconds', [], to - from)]),
  ];
}
