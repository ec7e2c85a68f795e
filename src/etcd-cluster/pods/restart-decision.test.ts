import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  answerOf,
  AT,
  idOf,
  listOf,
  podOf,
  silenceOf,
  soundView,
} from '../../etcd/__fixtures__/answers.ts';
import type { EtcdMemberStatus, EtcdResult } from '../../etcd/member-status.ts';
import { etcdView, majorityOf, type EtcdView } from '../../etcd/view.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { pod } from '../../instance/__fixtures__/instance.ts';
import { decideRestart, type RestartDecision } from './restart-decision.ts';

const PODS = ['etcd-0', 'etcd-1', 'etcd-2'] as const;
const [ZERO, ONE, TWO] = PODS;

const running = (name: string): KubernetesObject => pod('etcd', { name });
const down = (name: string): KubernetesObject => ({
  ...pod('etcd', { name, ready: false }),
  status: {
    containerStatuses: [{ name: 'etcd', state: { waiting: { reason: 'ImagePullBackOff' } } }],
  },
});

const viewOf = (results: readonly EtcdResult[], pods: readonly string[] = PODS): EtcdView =>
  etcdView(results, pods.map(podOf), AT);

const said = (decision: RestartDecision): string =>
  'pod' in decision ? decision.pod.metadata.name : decision.refusal.reason;

describe('decideRestart', () => {
  it.each<[string, string, readonly string[]]>([
    ['etcd-2', TWO, [ONE, ZERO, TWO]],
    ['etcd-1', ONE, [TWO, ZERO, ONE]],
  ])('restarts the leader %s last', (_, leader, order) => {
    const results = PODS.map((name) => answerOf(name, PODS, { leaderId: idOf(leader) }));
    const done: string[] = [];
    for (let left = [TWO, ONE, ZERO].map(running); left.length > 0;) {
      const [first, ...others] = left;
      if (first === undefined) break;
      const name = said(decideRestart([first, ...others], viewOf(results)));
      done.push(name);
      left = left.filter(({ metadata }) => metadata.name !== name);
    }
    expect(done).toEqual(order);
  });

  it.each<[string, readonly string[], 'http' | 'https', string]>([
    ['blocks a restart with https of a member that is listed with http', ['http'], 'https', ''],
    ['blocks a restart with http of a member that is listed with https', ['https'], 'http', ''],
    ['allows a restart with https when both are listed', ['http', 'https'], 'https', TWO],
    ['allows a restart with http when both are listed', ['http', 'https'], 'http', TWO],
  ])('%s', (_, schemes, peers, expected) => {
    const members = listOf(PODS).map((member) => ({
      ...member,
      peerURLs: schemes.map((scheme) => `${scheme}://${member.name}:2380`),
    }));
    const view = viewOf(PODS.map((name) => answerOf(name, PODS, { members })));
    const decision = decideRestart([running(TWO)], view, peers);
    if (expected === '')
      expect(decision).toMatchObject({
        refusal: { message: expect.stringContaining(`lists no ${peers} peer URL`) },
      });
    else expect(said(decision)).toBe(expected);
  });

  const sound = soundView(PODS);
  const split = viewOf([
    answerOf(ZERO, [ZERO], { cluster: 'b' }),
    answerOf(ONE, [ONE, TWO]),
    answerOf(TWO, [ONE, TWO]),
  ]);
  const oneAway = viewOf([answerOf(ZERO, PODS), silenceOf(ONE), answerOf(TWO, PODS)]);
  const election = viewOf(
    PODS.map((name) => answerOf(name, PODS, { leaderId: '0', confirmed: false })),
  );
  const unreached = viewOf(PODS.map((name) => silenceOf(name)));
  const corrupt = viewOf([
    ...[ZERO, TWO].map((name) => answerOf(name, PODS)),
    answerOf(ONE, PODS, { errors: ['alarm:CORRUPT'] }),
  ]);
  const two = viewOf([answerOf(ZERO, [ZERO, ONE]), answerOf(ONE, [ZERO, ONE])], [ZERO, ONE]);
  const four = ['etcd-0', 'etcd-1', 'etcd-2', 'etcd-3'];
  const fourWithout = viewOf(
    [...four.slice(0, 3).map((name) => answerOf(name, four)), silenceOf('etcd-3')],
    four,
  );

  const listed = listOf(PODS).map((member) => ({ ...member, isLearner: member.name === TWO }));
  const withLearner = (one: Partial<EtcdMemberStatus>): EtcdView =>
    viewOf([
      answerOf(ZERO, PODS, { members: listed }),
      answerOf(ONE, PODS, { members: listed, ...one }),
      answerOf(TWO, PODS, { isLearner: true, members: [], confirmed: false }),
    ]);

  it.each<[string, KubernetesObject, EtcdView, string]>([
    [
      'allows a restart of a learner when both voters are healthy',
      running(TWO),
      withLearner({}),
      TWO,
    ],
    [
      'blocks a restart of a learner when one of two voters is corrupt',
      running(TWO),
      withLearner({ errors: ['alarm:CORRUPT'] }),
      'EtcdQuorumUnproven',
    ],
    ['allows a restart when both other members are healthy', running(TWO), sound, TWO],
    [
      'blocks a restart when members belong to different clusters',
      running(TWO),
      split,
      'SplitBrain',
    ],
    [
      'blocks a restart of a stopped member when members belong to different clusters',
      down(TWO),
      split,
      'SplitBrain',
    ],
    [
      'blocks a restart when one of two other members is silent',
      running(TWO),
      oneAway,
      'EtcdQuorumUnproven',
    ],
    ['blocks a restart when there is no leader', running(TWO), election, 'EtcdQuorumUnproven'],
    [
      'blocks a restart when the operator reaches no member',
      running(TWO),
      unreached,
      'EtcdUnobserved',
    ],
    [
      'blocks a restart when another member is corrupt',
      running(TWO),
      corrupt,
      'EtcdQuorumUnproven',
    ],
    [
      'blocks a restart of a silent member that may be running',
      running(ONE),
      oneAway,
      'EtcdUnobserved',
    ],
    ['allows a restart of a silent member that does not run', down(ONE), oneAway, ONE],
    ['allows a restart of a stopped member when no member is reachable', down(ONE), unreached, ONE],
    [
      'requires a quorum of the others when a member responds although the kubelet reports it as stopped',
      down(TWO),
      oneAway,
      'EtcdQuorumUnproven',
    ],
    [
      'allows a restart of a single member with durable data',
      running(ZERO),
      soundView([ZERO]),
      ZERO,
    ],
    ['allows a restart of one of two healthy members', running(ONE), two, ONE],
    [
      'blocks a restart of one of three remaining members of four',
      running(TWO),
      fourWithout,
      'EtcdQuorumUnproven',
    ],
  ])('%s', (_, candidate, view, expected) => {
    const decision = decideRestart([candidate], view);
    expect(said(decision)).toBe(expected);
    if ('refusal' in decision) expect(decision.refusal.message).toMatch(/: .+\(.+\); /);
  });

  it('never restarts a running member when the others do not keep a quorum', () => {
    const member = fc.record({
      silent: fc.boolean(),
      cluster: fc.constantFrom('a', 'a', 'a', 'a', 'b'),
      leader: fc.constantFrom('', ZERO, ZERO, ONE),
      confirmed: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.tuple(member, member, member), (members) => {
        const results = members.map(({ silent, cluster, leader, confirmed }, n): EtcdResult => {
          const name = PODS[n] ?? ZERO;
          const leaderId = leader === '' ? '0' : idOf(leader, cluster);
          return silent ? silenceOf(name) : answerOf(name, PODS, { cluster, leaderId, confirmed });
        });
        const decision = decideRestart(
          [running(TWO), running(ONE), running(ZERO)],
          viewOf(results),
        );
        if (!('pod' in decision)) return;
        const others = results.filter((result) => result.pod !== decision.pod.metadata.name);
        const agreeing = others.filter((result) => 'memberId' in result && result.confirmed);
        expect(agreeing.length).toBeGreaterThanOrEqual(majorityOf(3));
        const leaders = agreeing.map((result) => 'memberId' in result && result.leaderId);
        expect(new Set(leaders).size).toBe(1);
      }),
    );
  });
});
