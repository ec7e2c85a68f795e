import { describe, expect, it } from '@jest/globals';
import {
  manualClock,
  memoryLog,
  settle,
  type ManualClock,
} from '../kubernetes/time/clock.fixture.ts';
import { answerOf, idOf, silenceOf } from './__fixtures__/answers.ts';
import type { EtcdMemberStatus, EtcdResult } from './member-status.ts';
import { EtcdObserver, type Observed, type ObservedPod } from './observer.ts';

const PODS = ['etcd-0', 'etcd-1', 'etcd-2'];
const KEY = 'team/demo';

interface Environment {
  readonly clock: ManualClock;
  readonly observer: EtcdObserver;
  /** Keys for which the observer requested a reconcile. */
  readonly told: string[];
  asked: number;
  say: (pod: string) => EtcdResult;
  /** Delays the response of a member. */
  wait: (uid: string, signal: AbortSignal | undefined) => Promise<void>;
}

function environment(): Environment {
  const clock = manualClock();
  const told: string[] = [];
  const observer = new EtcdObserver({
    clock,
    log: memoryLog(),
    random: () => 0.5,
    onChange: (key) => told.push(key),
    ask: async ({ name, uid }, _, signal) => {
      here.asked += 1;
      await here.wait(uid, signal);
      const said = { ...here.say(name), podUid: uid, at: clock.wall() };
      const count = String(here.asked);
      const counters = { raftIndex: count, appliedIndex: count, revision: count, term: count };
      return 'memberId' in said ? { ...said, ...counters } : said;
    },
  });
  const here: Environment = {
    clock,
    observer,
    told,
    asked: 0,
    say: (pod) => answerOf(pod, PODS),
    wait: () => Promise.resolve(),
  };
  return here;
}

const observed = (
  more: Partial<ObservedPod> = {},
  path: Observed['path'] = 'direct',
): Observed => ({
  path,
  pods: PODS.map((name) => ({
    name,
    uid: `uid-${name}`,
    ready: true,
    identity: '10.0.0.1',
    timeoutMs: 1_000,
    target: { dial: () => Promise.reject(new Error('not dialed here')) },
    ...more,
  })),
});

const without =
  (silent: string): Environment['say'] =>
  (pod) =>
    pod === silent ? silenceOf(pod) : answerOf(pod, PODS);

const podsIn = (results: readonly EtcdResult[]): readonly string[] =>
  results.filter((result) => 'memberId' in result).map(({ pod }) => pod);

describe('EtcdObserver', () => {
  it('probes all members in parallel in the background', async () => {
    const { observer, told, ...here } = environment();
    observer.observe(KEY, observed());
    expect(observer.results(KEY)).toEqual([]);
    await settle();
    expect(podsIn(observer.results(KEY))).toEqual(PODS);
    expect(told).toEqual([KEY]);
    expect(here.clock.pending()).toBe(1);
  });

  it('adds to a result whether the Pod was ready, and probes again and requests a reconcile when that changes', async () => {
    const { observer, told } = environment();
    for (const ready of [true, false]) {
      observer.observe(KEY, observed({ ready }));
      await settle();
      const [first] = observer.results(KEY);
      expect(first?.podReady).toBe(ready);
    }
    expect(told).toEqual([KEY, KEY]);
  });

  it.each<[Observed['path'], number]>([
    ['direct', 15_000],
    ['forwarded', 60_000],
  ])(
    'pauses between probes and requests no reconcile while nothing changes: %s',
    async (path, restMs) => {
      const here = environment();
      for (let minute = 0; minute < 10; minute += 1) here.observer.observe(KEY, observed({}, path));
      await here.clock.advance(10 * restMs + 1_000);
      expect(here.asked).toBe(3 * 11);
      expect(here.told).toEqual([KEY]);
    },
  );

  it.each<[string, readonly Partial<EtcdMemberStatus>[], number]>([
    [
      'not while sizes grow within a tenth of the quota',
      [
        { dbSize: '20', dbSizeInUse: '10' },
        { dbSize: '99', dbSizeInUse: '98' },
      ],
      1,
    ],
    ['when the size reaches another tenth of the quota', [{ dbSize: '99' }, { dbSize: '100' }], 2],
    [
      'when the rounded size changes',
      [
        { dbSizeQuota: '0', dbSize: '8000000' },
        { dbSizeQuota: '0', dbSize: '9000000' },
      ],
      2,
    ],
    [
      'when the size in use reaches another tenth of the quota',
      [{ dbSizeInUse: '500' }, { dbSizeInUse: '499' }],
      2,
    ],
    [
      'not for each byte when etcd reports no quota, as before etcd 3.6, or has none',
      [
        { dbSizeQuota: '0', dbSize: '1' },
        { dbSizeQuota: '0', dbSize: '8000000' },
      ],
      1,
    ],
    [
      'when an alarm is raised',
      [{}, { alarms: [{ memberId: idOf('etcd-0'), alarm: 'NOSPACE' }] }],
      2,
    ],
    [
      'when another member raises the alarm',
      [
        { alarms: [{ memberId: idOf('etcd-0'), alarm: 'NOSPACE' }] },
        { alarms: [{ memberId: idOf('etcd-1'), alarm: 'NOSPACE' }] },
      ],
      2,
    ],
  ])('requests a reconcile %s', async (_, [first, then], told) => {
    const here = environment();
    const sizes = { dbSize: '0', dbSizeInUse: '0', dbSizeQuota: '1000' };
    here.say = (pod) => answerOf(pod, PODS, { ...sizes, ...first });
    here.observer.observe(KEY, observed());
    await settle();
    here.say = (pod) => answerOf(pod, PODS, { ...sizes, ...then });
    await here.clock.advance(15_000);
    expect(here.asked).toBe(6);
    expect(here.told).toHaveLength(told);
  });

  it('probes at once when a Pod becomes ready, changes its address or is replaced', async () => {
    const here = environment();
    here.observer.observe(KEY, observed());
    await settle();
    for (const more of [{ ready: false }, { identity: '10.0.0.2' }, { uid: 'other' }]) {
      const before = here.asked;
      here.observer.observe(KEY, observed(more));
      await settle();
      expect(here.asked).toBe(before + 3);
    }
  });

  it('reports a failure only after repeated checks confirm it', async () => {
    const here = environment();
    here.observer.observe(KEY, observed());
    await settle();
    here.say = without('etcd-1');
    await here.clock.advance(15_000);
    expect(podsIn(here.observer.results(KEY))).toEqual(PODS);
    await here.clock.advance(1_000);
    expect(here.told.length).toBe(1);
    await here.clock.advance(1_000);
    expect(podsIn(here.observer.results(KEY))).toEqual(['etcd-0', 'etcd-2']);
    expect(here.told.length).toBe(2);
    here.say = (pod) => answerOf(pod, PODS);
    await here.clock.advance(2_000);
    expect(podsIn(here.observer.results(KEY))).toEqual(PODS);
  });

  it('keeps the time of the last response of a member that fails', async () => {
    const here = environment();
    here.observer.observe(KEY, observed());
    await here.clock.advance(15_000);
    const respondedAt = here.observer.results(KEY)[1]?.at;
    here.say = without('etcd-1');
    await here.clock.advance(120_000);
    expect(here.observer.results(KEY)[1]).toMatchObject({ respondedAt });
    expect(here.told.length).toBe(2);
  });

  it('ignores failures of a Pod that is not ready, and backs off while a failure lasts', async () => {
    const here = environment();
    here.say = without('etcd-1');
    here.observer.observe(KEY, observed({ ready: false }));
    await settle();
    expect(here.observer.results(KEY)).toHaveLength(3);
    here.observer.observe(KEY, observed());
    await here.clock.advance(600_000);
    expect(here.asked / 3).toBeLessThan(20);
    expect(here.told.length).toBeLessThanOrEqual(2);
  });

  it('probes again and discards the result when the Pods change during a probe', async () => {
    const here = environment();
    here.observer.observe(KEY, observed());
    here.observer.observe(KEY, observed({ uid: 'other' }));
    await settle();
    expect(here.asked).toBe(6);
    expect(here.told).toEqual([KEY]);
  });

  it('stops probing and requests no reconcile after forget and close', async () => {
    const here = environment();
    here.observer.observe(KEY, observed());
    here.observer.forget(KEY);
    await settle();
    expect([here.told, here.clock.pending(), here.observer.results(KEY)]).toEqual([[], 0, []]);
    here.observer.observe(KEY, observed());
    await settle();
    here.observer.close();
    expect(here.clock.pending()).toBe(0);
  });

  describe('with many control planes', () => {
    const crowd = (observer: EtcdObserver, count: number): readonly string[] => {
      const keys = Array.from({ length: count }, (_, index) => `crowd/${String(index)}`);
      for (const key of keys) observer.observe(key, observed({ uid: 'hangs' }));
      return keys;
    };
    const hanging = (here: Environment): void => {
      here.wait = async (uid, signal) => {
        if (uid !== 'hangs') return;
        await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      };
    };

    it('probes few of one namespace at once while they do not respond, and those of another one without delay', async () => {
      const here = environment();
      hanging(here);
      crowd(here.observer, 1_000);
      await here.clock.advance(60_000);
      expect(here.asked).toBe(3 * 32);
      here.observer.observe(KEY, observed());
      await settle();
      expect(podsIn(here.observer.results(KEY))).toEqual(PODS);
      await here.clock.advance(30_000);
      expect(here.asked).toBe(3 * (32 + 3));
    });

    it('does not record a failure while a probe waits, and gives its place to others when it is forgotten', async () => {
      const here = environment();
      hanging(here);
      const keys = crowd(here.observer, 40);
      here.observer.observe('crowd/last', observed());
      await here.clock.advance(600_000);
      expect([here.told, here.observer.results('crowd/last')]).toEqual([[], []]);
      // 31 of those in progress stay.
      for (const key of keys.slice(31)) here.observer.forget(key);
      await settle();
      expect(podsIn(here.observer.results('crowd/last'))).toEqual(PODS);
      expect([here.asked, here.told]).toEqual([3 * 33, ['crowd/last']]);
    });

    it('probes 1,000 healthy control planes at their usual intervals', async () => {
      const here = environment();
      for (let index = 0; index < 1_000; index += 1)
        here.observer.observe(`ns-${String(index % 5)}/${String(index)}`, observed());
      await settle();
      expect(here.told).toHaveLength(1_000);
      await here.clock.advance(15_000);
      expect(here.asked).toBe(2 * 3 * 1_000);
    });
  });
});
