import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { answerOf, AT, idOf, listOf, podOf, silenceOf, soundView } from './__fixtures__/answers.ts';
import type { EtcdResult } from './answer.ts';
import { etcdView, majorityOf, OLDEST_ANSWER_MS, type EtcdView } from './view.ts';

const PODS = ['etcd-0', 'etcd-1', 'etcd-2'] as const;
const [ZERO, ONE, TWO] = PODS;

const viewOf = (results: readonly EtcdResult[], pods: readonly string[] = PODS): EtcdView =>
  etcdView(results, pods.map(podOf), AT);

const three = PODS.map((pod) => answerOf(pod, PODS));

describe('the view of an etcd', () => {
  it('has the members of one cluster, who serves and who leads', () => {
    const view = viewOf(three);
    expect(view).toMatchObject({
      clusters: [{ id: 'a', pods: PODS }],
      serving: PODS,
      quorum: true,
      leader: ZERO,
      silent: [],
      unasked: [],
    });
    expect(view.members.map(({ name, pod }) => [name, pod])).toEqual(PODS.map((pod) => [pod, pod]));
    expect(view.splitBrain).toBeUndefined();
  });

  it('names the pods of two clusters behind one Service, and trusts neither of them', () => {
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
        /^etcd: .* \(etcd-1, etcd-2: cluster a; etcd-0: cluster b\); the operator changes nothing of etcd/,
      ),
    });
  });

  it.each<[string, readonly EtcdResult[]]>([
    [
      'a pod runs a member that a quorum of the others does not list',
      [
        answerOf(ZERO, [ZERO, ONE]),
        answerOf(ONE, [ZERO, ONE]),
        answerOf(TWO, PODS, { leaderId: idOf(ZERO), confirmed: false }),
      ],
    ],
    [
      'two births with the same settings have the same IDs, and each has a leader in the same term',
      [
        answerOf(ZERO, PODS),
        ...[ONE, TWO].map((pod) => answerOf(pod, PODS, { leaderId: idOf(ONE) })),
      ],
    ],
  ])('is split when %s', (_, results) => {
    expect(viewOf(results).splitBrain?.reason).toBe('SplitBrain');
    expect(viewOf(results).quorum).toBe(false);
  });

  it.each<[string, readonly EtcdResult[], Partial<EtcdView>]>([
    [
      'an election goes on: members follow leaders of different terms',
      [
        answerOf(ZERO, PODS),
        ...[ONE, TWO].map((pod) => answerOf(pod, PODS, { leaderId: idOf(ONE), term: '3' })),
      ],
      { serving: [ONE, TWO], quorum: true, leader: ONE },
    ],
    [
      'nobody knows of a leader',
      PODS.map((pod) => answerOf(pod, PODS, { leaderId: '0', confirmed: false })),
      { serving: [], quorum: false },
    ],
    [
      'one does not answer',
      [...three.slice(0, 2), silenceOf(TWO)],
      { serving: [ZERO, ONE], quorum: true },
    ],
    [
      'one alone answers',
      [answerOf(ZERO, PODS, { leaderId: '0', confirmed: false }), silenceOf(ONE), silenceOf(TWO)],
      { serving: [], quorum: false },
    ],
    [
      'one is a learner, which may not list members',
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
      'a learner makes no quorum with one of two voters',
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
      'one reports corrupt data',
      [...three.slice(0, 2), answerOf(TWO, PODS, { errors: ['memberID:2 alarm:CORRUPT '] })],
      { serving: [ZERO, ONE], quorum: true },
    ],
    [
      'all lack space, which takes no vote from them',
      PODS.map((pod) => answerOf(pod, PODS, { errors: ['memberID:2 alarm:NOSPACE '] })),
      { serving: PODS, quorum: true },
    ],
    [
      'one has an older list of members, as it lags behind',
      [...three.slice(0, 2), answerOf(TWO, [TWO], { leaderId: idOf(ZERO), confirmed: false })],
      { serving: [ZERO, ONE], quorum: true },
    ],
  ])('is of one cluster when %s', (_, results, expected) => {
    const view = viewOf(results);
    expect(view).toMatchObject(expected);
    expect(view.splitBrain).toBeUndefined();
  });

  it('does not count what was answered by an earlier pod of that name, or too long ago', () => {
    const [first, second, third] = three;
    const earlier = { ...first, podUid: 'gone' };
    const old = { ...second, at: AT - OLDEST_ANSWER_MS - 1 };
    const view = viewOf(
      [earlier, old, third].flatMap((item) => (item ? [item as EtcdResult] : [])),
    );
    expect(view).toMatchObject({ unasked: [ZERO, ONE], serving: [TWO], quorum: false });
  });

  it('counts the newest of several results of a pod', () => {
    const later = { ...silenceOf(ZERO), at: AT + 1 };
    expect(viewOf([later, ...three])).toMatchObject({ silent: [later], serving: [ONE, TWO] });
  });

  it('takes the member of another pod at an address for no answer', () => {
    const moved = { ...answerOf(ONE, PODS), pod: ZERO, podUid: podOf(ZERO).uid };
    const view = viewOf([moved, ...three.slice(1)]);
    expect(view.silent).toMatchObject([
      { pod: ZERO, cause: 'another member answers at its address' },
    ]);
    expect(view).toMatchObject({ serving: [ONE, TWO], quorum: true });
  });

  it('says nothing that changes by itself', () => {
    const busy = PODS.map((pod, n) =>
      answerOf(pod, PODS, { raftIndex: `10${n}`, term: '2', at: AT + n }),
    );
    const [rest, same] = [viewOf(busy), viewOf(three)].map((view) => ({ ...view, answers: [] }));
    expect(rest).toEqual(same);
  });
});

describe('the view of any answers', () => {
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

  it('never has a quorum of members of different clusters, and only of a majority of its list', () => {
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

  it('knows each pod once, whatever the order of the results', () => {
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

it('an etcd of one member is one cluster', () => {
  expect(soundView([ZERO])).toMatchObject({ serving: [ZERO], quorum: true, leader: ZERO });
});
