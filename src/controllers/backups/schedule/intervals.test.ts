import { describe, expect, it } from '@jest/globals';
import type { KarmadaBackupSchedule } from '../../../api/backup/kinds.ts';
import { cronTimes } from './cron.ts';
import { ScheduleIntervals } from './intervals.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const scheduleOf = (schedule: string, name = 'nightly'): KarmadaBackupSchedule =>
  ({
    metadata: { namespace: 'team', name, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { schedule, template: { karmadaRef: { name: 'demo' } } },
  }) as unknown as KarmadaBackupSchedule;

describe('ScheduleIntervals', () => {
  it('computes an interval in a reconcile, and never when it is read', () => {
    const intervals = new ScheduleIntervals();
    expect(intervals.of(scheduleOf('@daily'))).toBeUndefined();
    intervals.learn(scheduleOf('@daily'));
    expect(intervals.of(scheduleOf('@daily'))).toBe(DAY);
    intervals.learn(scheduleOf('@daily'));
    expect(intervals.changes).toBe(1);
  });

  it('returns nothing for a changed, an invalid and a deleted schedule', () => {
    const intervals = new ScheduleIntervals();
    intervals.learn(scheduleOf('@daily'));
    expect(intervals.of(scheduleOf('@hourly'))).toBeUndefined();
    intervals.learn(scheduleOf('@hourly'));
    expect(intervals.of(scheduleOf('@hourly'))).toBe(HOUR);
    intervals.learn(scheduleOf('61 * * * *'));
    expect(intervals.of(scheduleOf('61 * * * *'))).toBeUndefined();
    intervals.learn(scheduleOf('@hourly'));
    intervals.forget('team/nightly');
    expect(intervals.of(scheduleOf('@hourly'))).toBeUndefined();
  });
});

it('ScheduleIntervals keep at most 1,000 intervals of a namespace, and those of others', () => {
  const intervals = new ScheduleIntervals();
  const names = Array.from({ length: 1_100 }, (_, index) => `s${String(index)}`);
  for (const name of names) intervals.learn(scheduleOf('@hourly', name));
  const other = scheduleOf('@hourly');
  const elsewhere = { ...other, metadata: { ...other.metadata, namespace: 'other' } };
  intervals.learn(elsewhere);
  const known = names.filter((name) => intervals.of(scheduleOf('@hourly', name)) !== undefined);
  expect([known.length, intervals.of(elsewhere)]).toEqual([1_000, HOUR]);
});

describe('cronTimes', () => {
  const at = (time: string): number => Date.parse(time);

  it.each<[string, string, string, string | undefined]>([
    ['0 0 29 2 *', 'UTC', '2096-03-01T00:00:00Z', '2104-02-29T00:00:00Z'],
    ['0 0 1 1 *', 'Pacific/Kiritimati', '2025-12-31T09:00:00Z', '2025-12-31T10:00:00Z'],
    ['0 0 1 1 *', 'Pacific/Pago_Pago', '2026-01-01T10:59:00Z', '2026-01-01T11:00:00Z'],
    ['@yearly', 'UTC', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['0 0 31 2,4,6,9,11 *', 'UTC', '2026-01-01T00:00:00Z', undefined],
  ])('finds the time after any other one: %s in %s after %s', (text, zone, after, expected) => {
    const found = cronTimes(text, zone)(at(after));
    expect(found).toBe(expected === undefined ? undefined : at(expected));
  });

  it('does not search hundreds of years for a time that does not exist', () => {
    const began = process.cpuUsage();
    for (let count = 0; count < 200; count += 1) {
      const text = `${String(count % 60)} 0 31 2,4,6,9,11 *`;
      expect(cronTimes(text, 'Europe/Berlin')(at('2026-01-01T00:00:00Z'))).toBeUndefined();
    }
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });
});
