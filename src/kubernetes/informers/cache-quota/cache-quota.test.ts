import { describe, expect, it } from '@jest/globals';
import { manualClock, memoryLog, settle } from '../../time/clock.fixture.ts';
import { CacheMemory } from './cache-memory.ts';
import { CacheQuota } from './cache-quota.ts';
import type { ListMeter } from './list-meter.ts';
import type { QuotaLimits } from './quota-limits.ts';

const LIMITS: QuotaLimits = {
  cached: { bytes: 100, objects: 10, perKarmada: { bytes: 10, objects: 1 } },
  listed: {
    bytes: 1_000,
    objects: 100,
    perKarmada: { bytes: 0, objects: 0 },
    all: 1_500,
    allObjects: 2_000,
  },
  watched: {
    bytes: 500,
    objects: 100,
    perKarmada: { bytes: 0, objects: 0 },
    all: 800,
    windowMs: 1_000,
  },
};

function setUp(memory?: CacheMemory) {
  const clock = manualClock();
  const log = memoryLog();
  const common = { clock, log, random: () => 0.5, limits: LIMITS };
  const quota = new CacheQuota({ ...common, ...(memory && { memory }) });
  const calls: string[] = [];
  const changes: string[] = [];
  let read = Promise.resolve();
  quota.register({
    drop: (namespace) => void calls.push(`drop ${namespace}`),
    load: (namespace) => {
      calls.push(`load ${namespace}`);
      return read;
    },
  });
  quota.onChange((namespace) => void changes.push(namespace));
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    read = promise.then(() => undefined);
    return () => resolve(undefined);
  };
  return { clock, log, quota, calls, changes, hold };
}

const objects = (count: number, bytes: number) => ({ objects: count, bytes });

const meterOf = (quota: CacheQuota): ListMeter => quota.meter('secrets', () => 0);

describe('CacheQuota', () => {
  it('keeps the objects of namespaces with Karmada objects, and reads those of a new one', async () => {
    const { quota, calls, changes, hold } = setUp();
    quota.admit('early');
    quota.start();
    expect([quota.isComplete('early'), quota.keeps('other')]).toEqual([true, false]);
    const end = hold();
    quota.admit('late');
    quota.admit('late');
    expect([quota.keeps('late'), quota.isComplete('late'), calls]).toEqual([
      true,
      false,
      ['load late'],
    ]);
    end();
    await settle();
    expect([quota.isComplete('late'), changes]).toEqual([true, ['late']]);
  });

  it('leaves out a namespace after its last Karmada object', () => {
    const { quota, calls } = setUp();
    quota.admit('team');
    quota.admit('team');
    quota.start();
    quota.release('team');
    expect(quota.keeps('team')).toBe(true);
    quota.release('team');
    expect([quota.keeps('team'), calls]).toEqual([false, ['drop team']]);
  });

  it.each<[string, (quota: CacheQuota) => void]>([
    ['the size of its objects', (quota) => quota.add('team', objects(1, 111), 'secrets')],
    ['their number', (quota) => quota.add('team', objects(12, 12), 'secrets')],
    ['the text of a list', (quota) => meterOf(quota).add('team', 1_001, 1)],
    ['the size of the objects of a list', (quota) => meterOf(quota).add('team', 200, 111)],
    ['changes, while all are too many', (quota) => quota.heard('team', 900, 'secrets')],
  ])('drops a namespace when %s exceed a limit, names it, and no other one', (_, exceed) => {
    const { quota, calls, changes, log } = setUp();
    for (const namespace of ['team', 'other']) quota.admit(namespace);
    quota.start();
    quota.add('other', objects(5, 50), 'secrets');
    exceed(quota);
    expect([quota.isDropped('team'), quota.isDropped('other')]).toEqual([true, false]);
    expect([quota.dropped, calls, changes]).toEqual([['team'], ['drop team'], ['team']]);
    expect(quota.fieldSelector()).toBe('metadata.namespace!=team');
    expect(quota.fieldSelector('secrets')).toBe('metadata.namespace!=team');
    expect(quota.fieldSelector('karmadas')).toBeUndefined();
    expect(quota.problemOf('team')).toContain('secrets');
    expect(log.lines.join('\n')).toContain('"namespace":"team"');
  });

  it('allows more for each Karmada object', () => {
    const { quota } = setUp();
    for (let count = 0; count < 5; count += 1) quota.admit('team');
    quota.start();
    quota.add('team', objects(15, 150), 'secrets');
    expect(quota.isDropped('team')).toBe(false);
    quota.add('team', objects(0, 1), 'secrets');
    expect(quota.isDropped('team')).toBe(true);
  });

  it('counts the objects of namespaces without Karmada objects, also while one of them is dropped', () => {
    const memory = new CacheMemory(1_000_000);
    const { quota } = setUp(memory);
    quota.start();
    const names = Array.from({ length: 1_200 }, (_, index) => `team-${String(index)}`);
    for (const name of names) quota.add(name, objects(1, 10), 'karmadas');
    quota.add('greedy', objects(1, 1_000), 'karmadas');
    expect([quota.dropped, memory.total]).toEqual([['greedy'], 12_000]);
    for (const name of names) quota.add(name, objects(-1, -10), 'karmadas');
    expect(memory.total).toBe(0);
  });

  it('drops no namespace for its changes while all together are few', () => {
    const { quota } = setUp();
    quota.admit('team');
    quota.start();
    quota.heard('team', 700, 'secrets');
    expect(quota.isDropped('team')).toBe(false);
  });

  it('drops the namespace with the most text when a list is too long', () => {
    const { quota } = setUp();
    const meter = meterOf(quota);
    for (const [namespace, bytes] of [
      ['a', 600],
      ['b', 700],
    ] as const)
      expect(meter.add(namespace, bytes, 0)).toBe(true);
    expect(meter.add('c', 300, 0)).toBe(false);
    expect(quota.dropped).toEqual(['b']);
  });

  it('drops the largest namespace when lists that are being read need too much memory, and none after they have ended', () => {
    const { quota } = setUp(new CacheMemory(150));
    for (const namespace of ['large', 'small', 'late']) quota.admit(namespace);
    quota.start();
    const [one, other] = [meterOf(quota), meterOf(quota)];
    one.add('large', 1, 100);
    other.add('small', 1, 40);
    one.end();
    one.end();
    other.add('late', 1, 100);
    expect(quota.dropped).toEqual([]);
    const third = meterOf(quota);
    third.add('small', 1, 30);
    expect(quota.dropped).toEqual(['late']);
    for (const meter of [other, third]) meter.end();
    quota.add('large', objects(1, 100), 'secrets');
    expect(quota.dropped).toEqual(['late']);
  });

  it('counts the objects of a list only as far as they exceed those that they replace', () => {
    const { quota } = setUp(new CacheMemory(150));
    quota.admit('team');
    quota.start();
    quota.add('team', objects(1, 90), 'secrets');
    const meter = quota.meter('secrets', () => 90);
    meter.add('team', 1, 50);
    meter.add('team', 1, 45);
    expect(quota.dropped).toEqual([]);
  });

  it('drops the largest namespace when all caches together need too much memory', () => {
    const { quota } = setUp(new CacheMemory(150));
    for (const namespace of ['large', 'small']) quota.admit(namespace);
    quota.start();
    quota.add('large', objects(1, 100), 'secrets');
    quota.add('small', objects(1, 60), 'secrets');
    expect(quota.dropped).toEqual(['large']);
  });

  it('reads a dropped namespace again after a minute, then less often, with the same problem until it is complete', async () => {
    const { quota, clock, calls, changes, hold } = setUp();
    quota.admit('team');
    quota.start();
    quota.add('team', objects(1, 111), 'secrets');
    const problem = quota.problemOf('team');
    await clock.advance(60_000);
    expect(calls).toEqual(['drop team', 'load team']);
    expect([quota.isComplete('team'), quota.problemOf('team')]).toEqual([true, undefined]);
    const end = hold();
    quota.add('team', objects(1, 111), 'secrets');
    await clock.advance(119_000);
    expect(calls).toHaveLength(3);
    await clock.advance(1_000);
    expect(calls.at(-1)).toBe('load team');
    expect([quota.isComplete('team'), quota.problemOf('team')]).toEqual([false, problem]);
    end();
    await settle();
    expect([quota.isComplete('team'), changes]).toEqual([true, ['team', 'team', 'team', 'team']]);
    quota.close();
    expect(clock.pending()).toBe(0);
  });

  it('drops a namespace again when it exceeds a limit while it is read', async () => {
    const { quota, clock, hold } = setUp();
    quota.admit('team');
    quota.start();
    quota.add('team', objects(1, 111), 'secrets');
    const end = hold();
    await clock.advance(60_000);
    meterOf(quota).add('team', 1_001, 1);
    end();
    await settle();
    expect(quota.isDropped('team')).toBe(true);
  });

  it('reports a namespace that is read for long', async () => {
    const { quota, clock, hold } = setUp();
    quota.start();
    hold();
    quota.admit('team');
    expect(quota.problemOf('team')).toBeUndefined();
    await clock.advance(15_000);
    expect(quota.problemOf('team')).toContain('still reading');
  });

  it('also drops a namespace without Karmada objects, and forgets the oldest of very many', () => {
    const { quota, clock } = setUp();
    quota.start();
    for (let count = 0; count < 1_100; count += 1)
      meterOf(quota).add(`n${String(count)}`, 1_001, 0);
    expect(quota.dropped).toHaveLength(1_000);
    expect(quota.fieldSelector()?.split(',')).toHaveLength(50);
    quota.close();
    expect(clock.pending()).toBe(0);
  });

  it('ends its shares of the memory when it is closed, as that of a host cluster with new credentials', () => {
    const memory = new CacheMemory(1_000_000);
    for (let turn = 0; turn < 3; turn += 1) {
      const { quota } = setUp(memory);
      quota.admit('team');
      quota.add('team', { bytes: 50, objects: 1 }, 'pods');
      expect(memory.total).toBe(50);
      quota.close();
    }
    expect(memory.total).toBe(0);
  });
});
