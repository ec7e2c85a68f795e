import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type {
  BackupPhase,
  KarmadaBackup,
  KarmadaBackupSchedule,
  KarmadaBackupScheduleStatus,
} from '../../../api/backup/kinds.ts';
import { planSchedule } from './plan-schedule.ts';

const MINUTE = 60_000;
const CREATED = '2026-01-01T00:00:00Z';
const at = (time: string): number => Date.parse(`2026-01-${time}:00Z`);

const template = { karmadaRef: { name: 'demo' }, storeRef: { name: 'main' } };

const scheduleOf = (
  spec: Partial<KarmadaBackupSchedule['spec']> = {},
  status?: KarmadaBackupScheduleStatus,
): KarmadaBackupSchedule => ({
  apiVersion: 'backup.operator.karmada.io/v1alpha1',
  kind: 'KarmadaBackupSchedule',
  metadata: { name: 'nightly', namespace: 'team', generation: 1, creationTimestamp: CREATED },
  spec: { schedule: '0 3 * * *', template, ...spec },
  ...(status && { status }),
});

const backupOf = (name: string, phase: BackupPhase, verifiedAt?: string): KarmadaBackup => ({
  apiVersion: 'backup.operator.karmada.io/v1alpha1',
  kind: 'KarmadaBackup',
  metadata: { name, namespace: 'team' },
  spec: template,
  status: { phase, ...(verifiedAt !== undefined && { verifiedAt }) },
});

/** Name of the created backup, and the next time. */
type Expected = readonly [string | undefined, string];

describe('planSchedule', () => {
  it.each<[string, string, Partial<KarmadaBackupSchedule['spec']>, Expected]>([
    ['before the first time', '01T02:59', {}, [undefined, '2026-01-01T03:00:00Z']],
    ['at the first time', '01T03:00', {}, ['nightly-20260101t0300', '2026-01-02T03:00:00Z']],
    ['within the deadline', '01T03:59', {}, ['nightly-20260101t0300', '2026-01-02T03:00:00Z']],
    ['after the deadline', '01T04:01', {}, [undefined, '2026-01-02T03:00:00Z']],
    [
      'after several missed times',
      '05T12:00',
      { startingDeadlineSeconds: 86_400 },
      ['nightly-20260105t0300', '2026-01-06T03:00:00Z'],
    ],
    [
      'in another time zone',
      '01T02:00',
      { timeZone: 'Europe/Berlin' },
      ['nightly-20260101t0200', '2026-01-02T02:00:00Z'],
    ],
    [
      'with a nickname',
      '01T01:00',
      { schedule: '@hourly' },
      ['nightly-20260101t0100', '2026-01-01T02:00:00Z'],
    ],
  ])('creates the backup that is due %s', (_, now, spec, [create, next]) => {
    const plan = planSchedule(scheduleOf(spec), [], at(now));
    expect(plan.create).toBe(create);
    expect(plan.status.nextScheduleTime).toBe(next);
    expect(plan.status.lastBackup).toBe(create);
    expect(plan.status.conditions).toMatchObject([{ status: 'True', reason: 'Scheduled' }]);
  });

  it.each([
    ['is suspended', { suspend: true }, 'ScheduleSuspended', 'spec.suspend'],
    ['has no valid expression', { schedule: '0 3 * *' }, 'InvalidSchedule', 'spec.schedule'],
    ['has a wrong value', { schedule: '61 3 * * *' }, 'InvalidSchedule', 'spec.schedule'],
    ['never has a time', { schedule: '0 0 31 2 *' }, 'InvalidSchedule', 'has no time'],
    ['has an unknown time zone', { timeZone: 'Mars/Base' }, 'InvalidSchedule', 'Mars/Base'],
  ])('creates nothing if it %s', (_, spec, reason, text) => {
    const plan = planSchedule(scheduleOf(spec), [], at('01T03:00'));
    expect([plan.create, plan.afterMs]).toEqual([undefined, undefined]);
    expect(plan.status.conditions).toMatchObject([
      { type: 'Scheduled', status: 'False', reason, message: expect.stringContaining(text) },
    ]);
  });

  it('waits for a running backup, and starts the missed one afterwards', () => {
    const schedule = scheduleOf({ schedule: '*/10 * * * *' });
    const running = [backupOf('nightly-20260101t0250', 'Running')];
    const now = at('01T03:00');
    const waiting = planSchedule(schedule, running, now);
    expect(waiting.create).toBeUndefined();
    expect(waiting.status.lastScheduleTime).toBeUndefined();
    expect(waiting.status.conditions).toMatchObject([{ reason: 'PreviousBackupRunning' }]);
    const done = [backupOf('nightly-20260101t0250', 'Verified', '2026-01-01T03:04:00Z')];
    const later = planSchedule(schedule, done, now + 5 * MINUTE);
    expect(later.create).toBe('nightly-20260101t0300');
    expect(later.status.lastSuccessfulTime).toBe('2026-01-01T03:04:00Z');
  });

  it('records a backup that exists, and does not create it again', () => {
    const plan = planSchedule(
      scheduleOf(),
      [backupOf('nightly-20260101t0300', 'Running')],
      at('01T03:01'),
    );
    expect(plan.create).toBeUndefined();
    expect(plan.status.lastBackup).toBe('nightly-20260101t0300');
  });

  it('keeps the time of the last verified backup when that object is deleted', () => {
    const status = { lastSuccessfulTime: '2026-01-01T03:04:00Z' };
    const older = [backupOf('older', 'Verified', '2025-12-31T03:04:00Z')];
    const plan = planSchedule(scheduleOf({}, status), older, at('01T12:00'));
    expect(plan.status.lastSuccessfulTime).toBe('2026-01-01T03:04:00Z');
  });

  it('creates every backup once and in order, and is at rest in between', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(steps, fc.constantFrom('*/15 * * * *', '0 * * * *'), (minutes, expression) => {
        const created: string[] = [];
        let schedule = scheduleOf({ schedule: expression });
        let now = Date.parse(CREATED);
        for (const minute of minutes) {
          now += minute * MINUTE;
          const backups = created.map((name) => backupOf(name, 'Verified', CREATED));
          const { create, status } = planSchedule(schedule, backups, now);
          if (create !== undefined) created.push(create);
          schedule = { ...schedule, status };
          const again = planSchedule(schedule, backups, now);
          expect(again.create).toBeUndefined();
          expect(again.status).toEqual(status);
        }
        expect(created).toEqual([...new Set(created)].sort());
      }),
    );
  });
});
