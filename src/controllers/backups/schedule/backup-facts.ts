/** Backups and schedules of each control plane, for metrics: pure. */
import type { KarmadaBackup, KarmadaBackupSchedule } from '../../../api/backup/kinds.ts';
import { isFinal } from '../../../features/backups/backup-status.ts';
import type { IntervalOf } from './intervals.ts';

/** Backups of one control plane. */
export interface BackupFacts {
  readonly namespace: string;
  /** `metadata.name` of the Karmada. */
  readonly name: string;
  /** Number of backups by phase. */
  readonly phases: ReadonlyMap<string, number>;
  /** Newest verified backup. */
  readonly verified?: KarmadaBackup;
  /** Whether the newest backup that has ended was not verified; absent before the first one has. */
  readonly hasFailed?: boolean;
  /** Schedules that are not suspended. */
  readonly schedules: readonly ScheduleFacts[];
}

interface ScheduleFacts {
  readonly name: string;
  /** Time of the last verified backup, or of the creation of the schedule; RFC 3339. */
  readonly lastSuccess: string;
  /** Time between two backups in milliseconds. */
  readonly intervalMs: number;
}

/** Groups backups and schedules by their Karmada. Leaves out schedules without a known interval. */
export function backupFacts(
  backups: readonly KarmadaBackup[],
  schedules: readonly KarmadaBackupSchedule[],
  intervalOf: IntervalOf,
): readonly BackupFacts[] {
  const owned = Map.groupBy(backups, ({ metadata, spec }) => keyOf(metadata, spec));
  const planned = Map.groupBy(schedules, ({ metadata, spec }) => keyOf(metadata, spec.template));
  const keys = new Set([...owned.keys(), ...planned.keys()]);
  return [...keys].sort().map((key) => {
    const [namespace = '', name = ''] = key.split('/');
    const own = owned.get(key) ?? [];
    return {
      namespace,
      name,
      ...resultsOf(own),
      schedules: schedulesOf(planned.get(key) ?? [], intervalOf),
    };
  });
}

const keyOf = (
  { namespace = '' }: { readonly namespace?: string },
  { karmadaRef }: KarmadaBackup['spec'],
): string => `${namespace}/${karmadaRef.name}`;

function resultsOf(
  backups: readonly KarmadaBackup[],
): Pick<BackupFacts, 'phases' | 'verified' | 'hasFailed'> {
  const phases = new Map<string, number>();
  for (const { status } of backups) {
    const { phase = 'Pending' } = status ?? {};
    phases.set(phase, (phases.get(phase) ?? 0) + 1);
  }
  const ended = backups
    .filter(({ status }) => isFinal(status?.phase))
    .sort((one, other) => (createdAt(one) < createdAt(other) ? 1 : -1));
  const verified = ended.find(({ status }) => status?.phase === 'Verified');
  const [last] = ended;
  return {
    phases,
    ...(verified && { verified }),
    ...(last && { hasFailed: last !== verified }),
  };
}

/** RFC 3339 in UTC, so that texts can be compared. */
const createdAt = ({ metadata }: KarmadaBackup | KarmadaBackupSchedule): string =>
  metadata.creationTimestamp ?? '';

const schedulesOf = (
  schedules: readonly KarmadaBackupSchedule[],
  intervalOf: IntervalOf,
): readonly ScheduleFacts[] =>
  schedules.flatMap((schedule) => {
    const intervalMs = intervalOf(schedule);
    if (schedule.spec.suspend === true || intervalMs === undefined) return [];
    const { lastSuccessfulTime = createdAt(schedule) } = schedule.status ?? {};
    return [{ name: schedule.metadata.name, lastSuccess: lastSuccessfulTime, intervalMs }];
  });
