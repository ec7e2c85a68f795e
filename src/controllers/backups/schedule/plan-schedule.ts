/** Decides what a schedule of backups does now: pure. */
import type { Reason } from '../../../api/reasons/condition-reasons.ts';
import type {
  KarmadaBackup,
  KarmadaBackupSchedule,
  KarmadaBackupScheduleStatus,
} from '../../../api/backup/kinds.ts';
import type { ObjectCondition } from '../../../kubernetes/objects/object.ts';
import { parseTime } from '../../../kubernetes/time/time.ts';
import { isFinal } from '../../../features/backups/backup-status.ts';
import { nextCondition } from '../../../features/backups/next-condition.ts';
import { timeText } from '../../../features/backups/time.ts';
import { cronTimes, latestTime, type NextTime } from './cron.ts';

/** What to do now. */
export interface SchedulePlan {
  /** Name of the KarmadaBackup to create. */
  readonly create?: string;
  /** Status after the creation. */
  readonly status: KarmadaBackupScheduleStatus;
  /** Time until the next decision in milliseconds; absent if only a change of an object leads to one. */
  readonly afterMs?: number;
}

const DEADLINE_S = 3_600;
/** Longest pause until the next decision: clocks are corrected, and time zones change their rules. */
const MAX_MS = 3_600_000;

/**
 * Plans a schedule. At most one backup is created for several missed times, and none while an earlier one runs.
 * @param backups those of this schedule
 * @param now wall clock in milliseconds
 */
export function planSchedule(
  schedule: KarmadaBackupSchedule,
  backups: readonly KarmadaBackup[],
  now: number,
): SchedulePlan {
  const { spec } = schedule;
  const { lastScheduleTime, lastBackup, lastSuccessfulTime = '' } = schedule.status ?? {};
  const verified = backups.map(({ status }) => status?.verifiedAt ?? '');
  const success = [...verified, lastSuccessfulTime].sort().at(-1);
  const before = {
    ...(lastScheduleTime !== undefined && { lastScheduleTime }),
    ...(lastBackup !== undefined && { lastBackup }),
    ...(success !== undefined && success !== '' && { lastSuccessfulTime: success }),
  };
  const statusWith = (
    condition: Finding,
    more: KarmadaBackupScheduleStatus = {},
  ): SchedulePlan['status'] => ({
    ...before,
    ...more,
    conditions: [conditionOf(schedule, condition, now)],
  });
  if (spec.suspend === true)
    return {
      status: statusWith({
        isTrue: false,
        reason: 'ScheduleSuspended',
        message: 'spec.suspend is true',
      }),
    };
  const next = parsed(spec);
  if (typeof next === 'string')
    return { status: statusWith({ isTrue: false, reason: 'InvalidSchedule', message: next }) };
  return planned(schedule, { backups, now, next }, statusWith);
}

interface Finding {
  readonly isTrue: boolean;
  readonly reason: Reason;
  readonly message: string;
}

/** @returns the reason if the expression or the time zone is not valid */
function parsed({ schedule, timeZone = 'UTC' }: KarmadaBackupSchedule['spec']): NextTime | string {
  try {
    const next = cronTimes(schedule, timeZone);
    return next(0) === undefined
      ? 'spec.schedule: has no time within 9 years, such as February 31'
      : next;
  } catch (error) {
    return `spec.schedule or spec.timeZone: ${error instanceof Error ? error.message : String(error)}`;
  }
}

interface Times {
  readonly backups: readonly KarmadaBackup[];
  readonly now: number;
  readonly next: NextTime;
}

function planned(
  schedule: KarmadaBackupSchedule,
  { backups, now, next }: Times,
  statusWith: (condition: Finding, more?: KarmadaBackupScheduleStatus) => SchedulePlan['status'],
): SchedulePlan {
  const due = dueTime(schedule, now, next);
  const following = next(now);
  const nextScheduleTime = following === undefined ? {} : { nextScheduleTime: timeText(following) };
  const afterMs = Math.min(MAX_MS, (following ?? Infinity) - now);
  const scheduled: Finding = { isTrue: true, reason: 'Scheduled', message: '' };
  if (due === undefined) return { status: statusWith(scheduled, nextScheduleTime), afterMs };
  const create = `${schedule.metadata.name}-${suffixOf(due)}`;
  const more = { ...nextScheduleTime, lastScheduleTime: timeText(due), lastBackup: create };
  // The process ended after it created the backup.
  if (backups.some(({ metadata }) => metadata.name === create))
    return { status: statusWith(scheduled, more), afterMs };
  const active = backups.find(({ status }) => !isFinal(status?.phase));
  if (active !== undefined) {
    const message = `waits until KarmadaBackup ${active.metadata.name} has ended`;
    return {
      status: statusWith(
        { isTrue: true, reason: 'PreviousBackupRunning', message },
        nextScheduleTime,
      ),
      afterMs,
    };
  }
  return { create, status: statusWith(scheduled, more), afterMs };
}

/** Latest time of the expression that is not too long ago, and for which no backup was created. */
function dueTime(
  { spec, status, metadata }: KarmadaBackupSchedule,
  now: number,
  next: NextTime,
): number | undefined {
  const { startingDeadlineSeconds = DEADLINE_S } = spec;
  const created = metadata.creationTimestamp ?? '';
  const known = parseTime(status?.lastScheduleTime ?? created);
  const after = Math.max(
    Number.isFinite(known) ? known : now,
    now - startingDeadlineSeconds * 1_000,
  );
  return latestTime(next, after, now);
}

/** Such as `20260102t0304`, in UTC. */
const suffixOf = (time: number): string =>
  new Date(time).toISOString().slice(0, 16).replace(/[-:]/g, '').toLowerCase();

function conditionOf(
  schedule: KarmadaBackupSchedule,
  { isTrue, reason, message }: Finding,
  now: number,
): ObjectCondition {
  const status = isTrue ? 'True' : 'False';
  return nextCondition(schedule, { type: 'Scheduled', status, reason, message }, timeText(now));
}
