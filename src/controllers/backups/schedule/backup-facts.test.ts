import { describe, expect, it } from '@jest/globals';
import type {
  BackupPhase,
  KarmadaBackup,
  KarmadaBackupSchedule,
} from '../../../api/backup/kinds.ts';
import { ControlPlaneText } from '../../../metrics/control-plane-text.ts';
import { backupFacts } from './backup-facts.ts';
import { ScheduleIntervals } from './intervals.ts';

const timeOf = (day: number, time = '00:00:00'): string => `2026-01-0${String(day)}T${time}Z`;

const backupOf = (day: number, phase: BackupPhase): KarmadaBackup =>
  ({
    metadata: { namespace: 'team', name: `b${String(day)}`, creationTimestamp: timeOf(day) },
    spec: { karmadaRef: { name: 'demo' }, storeRef: { name: 'main' } },
    status: {
      phase,
      takenAt: timeOf(day, '00:00:01'),
      startedAt: timeOf(day),
      sizeBytes: 1_000,
      verifiedAt: timeOf(day, '00:00:09'),
    },
  }) as unknown as KarmadaBackup;

const scheduleOf = (schedule: string, more: object = {}, status = {}): KarmadaBackupSchedule =>
  ({
    metadata: { namespace: 'team', name: 'nightly', creationTimestamp: timeOf(1) },
    spec: { schedule, template: { karmadaRef: { name: 'demo' } }, ...more },
    status,
  }) as unknown as KarmadaBackupSchedule;

const textOf = (
  backups: readonly KarmadaBackup[],
  schedules: readonly KarmadaBackupSchedule[] = [],
): readonly string[] => {
  const intervals = new ScheduleIntervals();
  for (const schedule of schedules) intervals.learn(schedule);
  const facts = backupFacts(backups, schedules, intervals.of);
  return Buffer.concat(new ControlPlaneText().of([], facts))
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace('karmada_operator_control_plane_', ''));
};

const OWNER = 'karmada_namespace="team",karmada_name="demo"';

describe('series of backups', () => {
  it('tell the newest verified one, and whether a newer one failed', () => {
    const backups = [backupOf(1, 'Verified'), backupOf(2, 'Verified'), backupOf(3, 'Failed')];
    expect(textOf([...backups, backupOf(4, 'Running')])).toEqual([
      `backups{${OWNER},phase="Verified"} 2`,
      `backups{${OWNER},phase="Failed"} 1`,
      `backups{${OWNER},phase="Running"} 1`,
      `backup_last_success_timestamp_seconds{${OWNER}} ${String(Date.parse(timeOf(2)) / 1_000 + 1)}`,
      `backup_last_failed{${OWNER}} 1`,
      `backup_last_size_bytes{${OWNER}} 1000`,
      `backup_last_duration_seconds{${OWNER}} 9`,
    ]);
    expect(textOf(backups.slice(0, 2))).toContain(`backup_last_failed{${OWNER}} 0`);
    expect(textOf([backupOf(1, 'Running')])).toEqual([`backups{${OWNER},phase="Running"} 1`]);
  });

  it.each<readonly [string, string, number]>([
    ['a day', '0 3 * * *', 86_400],
    ['an hour', '@hourly', 3_600],
    ['a weekend', '0 3 * * 1-5', 3 * 86_400],
  ])('tell that a schedule pauses for %s', (_, schedule, interval) => {
    expect(textOf([], [scheduleOf(schedule)])).toEqual([
      `backup_schedule_last_success_timestamp_seconds{${OWNER},schedule="nightly"} ${String(Date.parse(timeOf(1)) / 1_000)}`,
      `backup_schedule_interval_seconds{${OWNER},schedule="nightly"} ${String(interval)}`,
    ]);
  });

  it.each<readonly [string, KarmadaBackupSchedule]>([
    ['suspended', scheduleOf('@daily', { suspend: true })],
    ['not valid', scheduleOf('61 * * * *')],
  ])('leave out a schedule that is %s', (_, schedule) =>
    expect(textOf([], [schedule])).toEqual([]),
  );

  it('use the last success of a schedule', () => {
    const schedule = scheduleOf('@daily', {}, { lastSuccessfulTime: timeOf(5) });
    expect(textOf([], [schedule])[0]).toContain(`} ${String(Date.parse(timeOf(5)) / 1_000)}`);
  });
});
