import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  answerOf,
  AT,
  idOf,
  podOf,
  silenceOf,
  soundView,
} from '../../etcd/__fixtures__/answers.ts';
import type { EtcdResult } from '../../etcd/answer.ts';
import { etcdView, majorityOf, type EtcdView } from '../../etcd/view.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { pod } from '../__fixtures__/instance.ts';
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

describe('the restart of a member of etcd', () => {
  it.each<[string, string, readonly string[]]>([
    ['etcd-2', TWO, [ONE, ZERO, TWO]],
    ['etcd-1', ONE, [TWO, ZERO, ONE]],
  ])('comes last for the leader %s', (_, leader, order) => {
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

  it.each<[string, KubernetesObject, EtcdView, string]>([
    ['goes on when both others serve', running(TWO), sound, TWO],
    ['is refused when members are of different clusters', running(TWO), split, 'SplitBrain'],
    ['of a member that does not run is refused then, too', down(TWO), split, 'SplitBrain'],
    ['is refused while one of two others is away', running(TWO), oneAway, 'EtcdQuorumUnproven'],
    ['is refused while there is no leader', running(TWO), election, 'EtcdQuorumUnproven'],
    ['is refused when the operator reaches nobody', running(TWO), unreached, 'EtcdUnobserved'],
    ['is refused while another member is corrupt', running(TWO), corrupt, 'EtcdQuorumUnproven'],
    [
      'is refused when a member does not answer that may run',
      running(ONE),
      oneAway,
      'EtcdUnobserved',
    ],
    ['goes on for one that does not run, and does not answer', down(ONE), oneAway, ONE],
    ['goes on for one that does not run when nobody is reached', down(ONE), unreached, ONE],
    [
      'needs the others for one that answers though its node says it does not run',
      down(TWO),
      oneAway,
      'EtcdQuorumUnproven',
    ],
    [
      'goes on for the only member, whose data outlives its pod',
      running(ZERO),
      soundView([ZERO]),
      ZERO,
    ],
    ['goes on for one of two that serve', running(ONE), two, ONE],
    [
      'is refused for one of three that are left of four',
      running(TWO),
      fourWithout,
      'EtcdQuorumUnproven',
    ],
  ])('%s', (_, candidate, view, expected) => {
    const decision = decideRestart([candidate], view);
    expect(said(decision)).toBe(expected);
    if ('refusal' in decision) expect(decision.refusal.message).toMatch(/: .+\(.+\); /);
  });

  it('never takes a running member away from a quorum that the others do not keep', () => {
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
