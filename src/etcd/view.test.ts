import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { answerOf, AT, idOf, listOf, podOf, silenceOf, soundView } from './__fixtures__/answers.ts';
import type { EtcdResult } from './member-status.ts';
import { etcdView, majorityOf, OLDEST_ANSWER_MS, type EtcdView } from './view.ts';

const PODS = ['etcd-0', 'etcd-1', 'etcd-2'] as const;
const [ZERO, ONE, TWO] = PODS;

const viewOf = (results: readonly EtcdResult[], pods: readonly string[] = PODS): EtcdView =>
  etcdView(results, pods.map(podOf), AT);

const three = PODS.map((pod) => answerOf(pod, PODS));

describe('etcdView', () => {
  it('reports members, healthy Pods, quorum and leader of one cluster', () => {
    const view = viewOf(three);
    expect(view).toMatchObject({
      clusters: [{ id: 'a', pods: PODS }],
      serving: PODS,
      quorum: true,
      leader: ZERO,
      learners: [],
      silent: [],
      unasked: [],
    });
    expect(view.members.map(({ name, pod }) => [name, pod])).toEqual(PODS.map((pod) => [pod, pod]));
    expect(view.splitBrain).toBeUndefined();
  });

  it('reports a split brain without quorum when Pods belong to two clusters', () => {
    const old = answerOf(ZERO, [ZERO], { cluster: 'b' });
    const born = [ONE, TWO].map((pod) => answerOf(pod, [ONE, TWO]));
    const view = viewOf([old, ...born]);
    expect(view).toMatchObject({ serving: [], quorum: false, members: [] });
    expect(view.clusters).toEqual([
      { id: 'a', pods: [ONE, TWO] },
      { id: 'b', pods: [ZERO] },
    ]);
    expect(view.splitBrain).toMatchObject({
      reason: 'SplitBrain',
      message: expect.stringMatching(
        /^etcd: .* \(etcd-1, etcd-2: cluster a; etcd-0: cluster b\); the operator does not change etcd/,
      ),
    });
  });

  it.each<[string, readonly EtcdResult[]]>([
    [
      'a Pod runs a member that is not in the confirmed member list',
      [
        answerOf(ZERO, [ZERO, ONE]),
        answerOf(ONE, [ZERO, ONE]),
        answerOf(TWO, PODS, { leaderId: idOf(ZERO), confirmed: false }),
      ],
    ],
    [
      'two clusters bootstrapped with the same settings each have a leader in the same term',
      [
        answerOf(ZERO, PODS),
        ...[ONE, TWO].map((pod) => answerOf(pod, PODS, { leaderId: idOf(ONE) })),
      ],
    ],
  ])('reports a split brain when %s', (_, results) => {
    expect(viewOf(results).splitBrain?.reason).toBe('SplitBrain');
    expect(viewOf(results).quorum).toBe(false);
  });

  it.each<[string, readonly EtcdResult[], Partial<EtcdView>]>([
    [
      'members follow leaders of different terms during an election',
      [
        answerOf(ZERO, PODS),
        ...[ONE, TWO].map((pod) => answerOf(pod, PODS, { leaderId: idOf(ONE), term: '3' })),
      ],
      { serving: [ONE, TWO], quorum: true, leader: ONE },
    ],
    [
      'no member has a leader',
      PODS.map((pod) => answerOf(pod, PODS, { leaderId: '0', confirmed: false })),
      { serving: [], quorum: false },
    ],
    [
      'one member does not respond',
      [...three.slice(0, 2), silenceOf(TWO)],
      { serving: [ZERO, ONE], quorum: true },
    ],
    [
      'only one of three members responds',
      [answerOf(ZERO, PODS, { leaderId: '0', confirmed: false }), silenceOf(ONE), silenceOf(TWO)],
      { serving: [], quorum: false },
    ],
    [
      'one member is a learner, which cannot list members',
      [
        ...[ZERO, ONE].map((pod) =>
          answerOf(pod, PODS, {
            members: listOf(PODS).map((member) => ({ ...member, isLearner: member.name === TWO })),
          }),
        ),
        answerOf(TWO, PODS, { isLearner: true, members: [], confirmed: false }),
      ],
      { serving: [ZERO, ONE], quorum: true },
    ],
    [
      'one of two voters and a learner respond, which is no quorum',
      [
        answerOf(ZERO, PODS, {
          members: listOf(PODS).map((member) => ({ ...member, isLearner: member.name === TWO })),
        }),
        silenceOf(ONE),
        answerOf(TWO, PODS, { isLearner: true, members: [], confirmed: false }),
      ],
      { serving: [ZERO], quorum: false },
    ],
    [
      'one member reports a CORRUPT alarm',
      [...three.slice(0, 2), answerOf(TWO, PODS, { errors: ['memberID:2 alarm:CORRUPT '] })],
      { serving: [ZERO, ONE], quorum: true },
    ],
    [
      'all members report a NOSPACE alarm, which does not affect votes',
      PODS.map((pod) => answerOf(pod, PODS, { errors: ['memberID:2 alarm:NOSPACE '] })),
      { serving: PODS, quorum: true },
    ],
    [
      'one member lags behind and has an older member list',
      [...three.slice(0, 2), answerOf(TWO, [TWO], { leaderId: idOf(ZERO), confirmed: false })],
      { serving: [ZERO, ONE], quorum: true },
    ],
  ])('reports one cluster when %s', (_, results, expected) => {
    const view = viewOf(results);
    expect(view).toMatchObject(expected);
    expect(view.splitBrain).toBeUndefined();
  });

  it('lists learners with their Pods, also one that has not started and has no name', () => {
    const added = { id: 'f', name: '', peerURLs: ['https://etcd-3:2380'], isLearner: true };
    const members = [
      ...listOf(PODS).map((member) => ({ ...member, isLearner: member.name === TWO })),
      added,
    ];
    const voters = [ZERO, ONE].map((pod) => answerOf(pod, PODS, { members }));
    const learner = answerOf(TWO, PODS, { isLearner: true, members: [], confirmed: false });
    const { learners } = viewOf([...voters, learner]);
    expect(learners.map(({ id, pod }) => [id, pod])).toEqual([
      [idOf(TWO), TWO],
      ['f', undefined],
    ]);
  });

  it('ignores a response of a previous Pod with the same name and a response that is too old', () => {
    const [first, second, third] = three;
    const earlier = { ...first, podUid: 'gone' };
    const old = { ...second, at: AT - OLDEST_ANSWER_MS - 1 };
    const view = viewOf(
      [earlier, old, third].flatMap((item) => (item ? [item as EtcdResult] : [])),
    );
    expect(view).toMatchObject({ unasked: [ZERO, ONE], serving: [TWO], quorum: false });
  });

  it('uses the newest result when a Pod has several results', () => {
    const later = { ...silenceOf(ZERO), at: AT + 1 };
    expect(viewOf([later, ...three])).toMatchObject({ silent: [later], serving: [ONE, TWO] });
  });

  it('treats a response as failed when the member of another Pod responds', () => {
    const moved = { ...answerOf(ONE, PODS), pod: ZERO, podUid: podOf(ZERO).uid };
    const view = viewOf([moved, ...three.slice(1)]);
    expect(view.silent).toMatchObject([
      { pod: ZERO, cause: 'another etcd member responds at the address of this Pod' },
    ]);
    expect(view).toMatchObject({ serving: [ONE, TWO], quorum: true });
  });

  it('returns the same view when only counters and times of the responses change', () => {
    const busy = PODS.map((pod, n) =>
      answerOf(pod, PODS, { raftIndex: `10${n}`, term: '2', at: AT + n }),
    );
    const [rest, same] = [viewOf(busy), viewOf(three)].map((view) => ({ ...view, answers: [] }));
    expect(rest).toEqual(same);
  });
});

describe('etcdView with arbitrary results', () => {
  const result = fc.record({
    pod: fc.constantFrom(...PODS),
    kind: fc.constantFrom('silent', 'answer' as const),
    cluster: fc.constantFrom('a', 'a', 'a', 'b'),
    leader: fc.constantFrom('', ...PODS),
    term: fc.constantFrom('2', '3'),
    list: fc.subarray([...PODS]),
    isLearner: fc.boolean(),
    confirmed: fc.boolean(),
    age: fc.constantFrom(0, OLDEST_ANSWER_MS + 1),
  });
  const results = fc.array(result, { maxLength: 6 }).map((items) =>
    items.map(({ pod, kind, cluster, leader, list, age, ...more }): EtcdResult => {
      const at = AT - age;
      if (kind === 'silent') return { ...silenceOf(pod), at };
      const leaderId = leader === '' ? '0' : idOf(leader, cluster);
      return answerOf(pod, list, { ...more, cluster, leaderId, at });
    }),
  );

  it('reports a quorum only for a majority of voters of one cluster', () => {
    fc.assert(
      fc.property(results, (given) => {
        const view = viewOf(given);
        const ids = new Set(view.answers.map(({ clusterId }) => clusterId));
        if (ids.size > 1) expect(view.splitBrain).toBeDefined();
        if (view.splitBrain !== undefined) expect([view.quorum, view.serving]).toEqual([false, []]);
        if (view.quorum) {
          const voters = view.members.filter(({ isLearner }) => !isLearner);
          expect(view.serving.length).toBeGreaterThanOrEqual(majorityOf(voters.length));
          expect(ids.size).toBe(1);
          const leaders = view.answers
            .filter(({ pod }) => view.serving.includes(pod))
            .map(({ leaderId }) => leaderId);
          expect(new Set(leaders).size).toBe(1);
        }
      }),
    );
  });

  it('reports each Pod exactly once for any order of results', () => {
    fc.assert(
      fc.property(results, (given) => {
        const view = viewOf(given);
        const named = [
          ...view.answers.map(({ pod }) => pod),
          ...view.silent.map(({ pod }) => pod),
          ...view.unasked,
        ];
        expect(named.sort()).toEqual([...PODS]);
      }),
    );
  });
});

it('etcdView reports quorum and leader when etcd has one member', () => {
  expect(soundView([ZERO])).toMatchObject({ serving: [ZERO], quorum: true, leader: ZERO });
});
