import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { answerOf, AT, idOf, podOf, silenceOf } from '../../etcd/__fixtures__/answers.ts';
import type { EtcdMemberStatus, EtcdResult } from '../../etcd/member-status.ts';
import { etcdView } from '../../etcd/view.ts';
import type { UpkeepFacts } from './facts.ts';
import { DEFRAGMENT_EVERY_MS, msUntilUpkeep, nextUpkeep, RETRY_FULL_MS } from './next-upkeep.ts';

const PODS = ['etcd-0', 'etcd-1', 'etcd-2'] as const;
const [ZERO, ONE, TWO] = PODS;
const MIB = 1_048_576;

const sizes = (size: number, inUse: number, quota = 2_048): Partial<EtcdMemberStatus> => ({
  dbSize: String(size * MIB),
  dbSizeInUse: String(inUse * MIB),
  dbSizeQuota: String(quota * MIB),
});
const SOUND = sizes(40, 30);
const FRAGMENTED = sizes(400, 100);
const FULL_OF_HISTORY = sizes(2_048, 400);
const FULL_OF_DATA = sizes(2_048, 2_000);

const alarm = (
  pod: string,
  kind: 'NOSPACE' | 'CORRUPT' = 'NOSPACE',
): Partial<EtcdMemberStatus> => ({
  alarms: [{ memberId: idOf(pod), alarm: kind }],
});

interface Given extends Partial<Omit<UpkeepFacts, 'view'>> {
  readonly answers?: Readonly<Record<string, Partial<EtcdMemberStatus>>>;
  /** For all members. */
  readonly all?: Partial<EtcdMemberStatus>;
  readonly pods?: readonly string[];
  readonly silent?: string;
}

function factsWith({
  answers = {},
  all = SOUND,
  pods = PODS,
  silent,
  ...more
}: Given): UpkeepFacts {
  const results = pods.map((pod): EtcdResult =>
    pod === silent ? silenceOf(pod) : answerOf(pod, pods, { ...all, ...answers[pod] }),
  );
  return {
    view: etcdView(results, pods.map(podOf), AT),
    members: pods.length,
    isSettled: true,
    isUpgrading: false,
    isEnabled: true,
    quota: 2_147_483_648n,
    now: AT,
    defragmentedAt: new Map(),
    ...more,
  };
}

const next = (given: Given): object => nextUpkeep(factsWith(given));
const NONE = { kind: 'none' };
const defragment = (pod: string): object => ({ kind: 'defragment', pod, memberId: idOf(pod) });
const lately = (ms: number, ...pods: readonly string[]): Given => ({
  defragmentedAt: new Map(pods.map((pod) => [idOf(pod), AT - ms])),
});

describe('nextUpkeep of a healthy etcd', () => {
  it('does nothing when the databases have little free space', () => {
    expect(next({})).toEqual(NONE);
  });

  it('defragments one member after the other, the leader last', () => {
    const all = FRAGMENTED;
    expect(next({ all })).toMatchObject(defragment(ONE));
    expect(next({ all, answers: { [ONE]: SOUND } })).toMatchObject(defragment(TWO));
    expect(next({ all, answers: { [ONE]: SOUND, [TWO]: SOUND } })).toMatchObject(defragment(ZERO));
  });

  it('does not defragment a member again within an hour', () => {
    const all = FRAGMENTED;
    const recent = lately(DEFRAGMENT_EVERY_MS - 1, ...PODS);
    expect(next({ all, ...recent })).toEqual(NONE);
    expect(msUntilUpkeep(factsWith({ all, ...recent }))).toBe(1);
    expect(next({ all, ...lately(DEFRAGMENT_EVERY_MS, ...PODS) })).toMatchObject(defragment(ONE));
  });

  it('defragments a single member only when its database is almost full', () => {
    expect(next({ all: FRAGMENTED, pods: [ZERO] })).toEqual(NONE);
    expect(next({ all: FULL_OF_HISTORY, pods: [ZERO] })).toMatchObject(defragment(ZERO));
    expect(next({ all: FULL_OF_DATA, pods: [ZERO] })).toEqual(NONE);
  });

  it.each<[string, Given]>([
    ['the spec disables it', { isEnabled: false }],
    ['a Pod is outdated or not Ready', { isSettled: false }],
    ['an upgrade is in progress', { isUpgrading: true }],
    ['a member does not respond', { silent: TWO }],
    ['a member is missing', { members: 4 }],
    ['a member is a learner', { answers: { [TWO]: { isLearner: true } } }],
    ['a member has no leader', { answers: { [TWO]: { leaderId: '0' } } }],
    ['a member does not reach the quorum', { answers: { [TWO]: { confirmed: false } } }],
    ['members belong to two clusters', { answers: { [TWO]: { clusterId: 'b' } } }],
    ['data is corrupt', { answers: { [ONE]: alarm(ONE, 'CORRUPT') } }],
  ])('does nothing when %s', (_, given) => {
    expect(next({ all: FRAGMENTED, ...given })).toEqual(NONE);
  });
});

describe('nextUpkeep of an etcd that rejects writes', () => {
  const full = (size: Partial<EtcdMemberStatus>): Partial<EtcdMemberStatus> => ({
    ...size,
    ...alarm(ZERO),
  });

  it('compacts once for each revision when a database is full and has nothing to free', () => {
    const all = full(FULL_OF_DATA);
    expect(next({ all })).toEqual({ kind: 'compact', pod: ZERO, revision: '50' });
    expect(next({ all, compacted: { revision: '49', at: AT } })).toMatchObject({ kind: 'compact' });
    const compacted = { revision: '50', at: AT - RETRY_FULL_MS };
    expect(next({ all, compacted, ...lately(0, ...PODS) })).toEqual(NONE);
  });

  it('defragments each full member once after a compaction, although etcd reports no free space', () => {
    const all = full(FULL_OF_DATA);
    const compacted = { revision: '50', at: AT - 10 };
    expect(next({ all, compacted })).toMatchObject(defragment(ONE));
    expect(next({ all, compacted, ...lately(5, ONE) })).toMatchObject(defragment(TWO));
    expect(next({ all, compacted, ...lately(5, ONE, TWO) })).toMatchObject(defragment(ZERO));
    expect(
      next({ all, compacted, ...lately(5, ONE, TWO), answers: { [ZERO]: full(SOUND) } }),
    ).toEqual(NONE);
  });

  it('defragments the members also during an upgrade', () => {
    const all = full(FULL_OF_HISTORY);
    expect(next({ all, isUpgrading: true })).toMatchObject(defragment(ONE));
    expect(next({ all, ...lately(RETRY_FULL_MS - 1, ONE) })).toMatchObject(defragment(TWO));
    expect(next({ all, ...lately(RETRY_FULL_MS - 1, ...PODS) })).toEqual(NONE);
    expect(next({ all, ...lately(RETRY_FULL_MS, ...PODS) })).toMatchObject(defragment(ONE));
  });

  it('disarms the alarm when all databases are below 80% of the quota', () => {
    const disarm = { kind: 'disarm', pod: ZERO, memberIds: [idOf(ZERO)] };
    expect(next({ all: full(sizes(1_638, 1_600)) })).toEqual(disarm);
    expect(
      next({ all: full(SOUND), answers: { [ONE]: { ...FULL_OF_DATA, ...alarm(ZERO) } } }),
    ).toMatchObject({ kind: 'compact' });
  });

  it('uses the quota of the spec when etcd reports none', () => {
    const all = full(sizes(1_000, 990, 0));
    expect(next({ all })).toMatchObject({ kind: 'disarm' });
    expect(next({ all, quota: BigInt(1_000 * MIB) })).toMatchObject({ kind: 'compact' });
  });

  it.each<[string, Given]>([
    ['the spec disables it', { isEnabled: false }],
    ['a member does not respond', { silent: TWO }],
    ['data is corrupt too', { answers: { [ONE]: alarm(ONE, 'CORRUPT') } }],
  ])('does nothing when %s', (_, given) => {
    expect(next({ all: full(SOUND), ...given })).toEqual(NONE);
  });
});

describe('nextUpkeep of any etcd', () => {
  const status = fc.record({
    dbSize: fc.integer({ min: 0, max: 3_000 }),
    dbSizeInUse: fc.integer({ min: 0, max: 3_000 }),
    isFull: fc.boolean(),
    isSilent: fc.boolean(),
    isLearner: fc.boolean(),
  });
  const etcds = fc.array(status, { minLength: 1, maxLength: 5 });

  it('defragments only with a whole quorum, and the leader only when no other member needs it', () => {
    fc.assert(
      fc.property(etcds, (members) => {
        const pods = members.map((_, ordinal) => `etcd-${String(ordinal)}`);
        const results = members.map((member, ordinal): EtcdResult => {
          const pod = pods[ordinal] ?? '';
          if (member.isSilent) return silenceOf(pod);
          const size = sizes(member.dbSize, member.dbSizeInUse);
          const raised = member.isFull ? alarm(pod) : {};
          return answerOf(pod, pods, { ...size, ...raised, isLearner: member.isLearner });
        });
        const view = etcdView(results, pods.map(podOf), AT);
        const facts = { ...factsWith({}), view, members: pods.length };
        const step = nextUpkeep(facts);
        if (step.kind === 'none') return;
        expect(members.some(({ isSilent, isLearner }) => isSilent || isLearner)).toBe(false);
        if (step.kind === 'disarm')
          expect(members.every(({ dbSize }) => dbSize <= 2_048 * 0.8)).toBe(true);
        if (step.kind !== 'defragment' || step.pod !== view.leader) return;
        const isFull = members.some((member) => member.isFull);
        const needs = members.slice(1).filter(({ dbSize, dbSizeInUse }) => {
          const free = dbSize - dbSizeInUse;
          const isShrinkable = dbSize > 2_048 * 0.8 && free * 4 >= dbSize;
          return isShrinkable || (!isFull && free >= 100 && free * 2 >= dbSize);
        });
        expect(needs).toEqual([]);
      }),
    );
  });
});
