import { describe, expect, it } from '@jest/globals';
import { etcdView, NOTHING_SEEN, type EtcdView } from '../../etcd/view.ts';
import { answerOf, AT, podOf } from '../../etcd/__fixtures__/answers.ts';
import type { StatefulSet } from '../../kubernetes/objects/kinds.ts';
import { RECORD, snapshotWith } from '../../etcd-cluster/members/__fixtures__/objects.ts';
import { RECOVER_ANNOTATION } from '../../etcd-cluster/recovery/survivors.ts';
import { nextRecoveryStep } from './next-step.ts';
import { recoveryFacts } from './read-facts.ts';
import { replacedEtcd } from './replaced-etcd.ts';

const PODS = ['demo-etcd-0', 'demo-etcd-1', 'demo-etcd-2'];
const [FIRST = ''] = PODS;

interface Given {
  readonly image?: string;
  readonly isDurable?: boolean;
  readonly scheme?: string;
  readonly members?: number;
}

function statefulSet({
  image = 'registry.k8s.io/etcd:3.6.6-0',
  isDurable = true,
  scheme = 'http',
  members = 3,
}: Given): StatefulSet {
  const names = PODS.slice(0, members).map((pod) => `${pod}=${scheme}://${pod}:2380`);
  const command = [
    `--listen-peer-urls=${scheme}://0.0.0.0:2380`,
    `--initial-cluster=${names.join()}`,
  ];
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'demo-etcd' },
    spec: {
      template: { spec: { containers: [{ name: 'etcd', image, command }] } },
      ...(isDurable && { volumeClaimTemplates: [{ metadata: { name: 'etcd-data' }, spec: {} }] }),
    },
  };
}

const viewOf = (answers: Parameters<typeof etcdView>[0]): EtcdView =>
  etcdView(answers, PODS.map(podOf), AT);
const WHOLE = viewOf(PODS.map((pod) => answerOf(pod, PODS)));
const ALONE = viewOf([answerOf(FIRST, [FIRST])]);
const OTHERS = viewOf(PODS.slice(1).map((pod) => answerOf(pod, PODS, { cluster: 'b' })));
const SPLIT = viewOf([...ALONE.answers, ...OTHERS.answers]);

describe('replacedEtcd', () => {
  it.each<readonly [string, readonly [Given, EtcdView, string?], object | undefined]>([
    ['members of two clusters', [{}, SPLIT], { cause: 'neverOneCluster' }],
    ['a member list that is too short', [{}, ALONE], { cause: 'neverOneCluster' }],
    ['the other cluster', [{}, OTHERS, `${FIRST}/a/5`], { cause: 'neverOneCluster' }],
    [
      'data in a Pod',
      [{ isDurable: false, members: 1 }, ALONE, `${FIRST}/a/5`],
      { cause: 'emptyDir' },
    ],
    [
      'an image without the tools',
      [{ image: 'registry.k8s.io:5000/etcd:3.5.16-0' }, SPLIT],
      { cause: 'neverOneCluster', unableImage: 'registry.k8s.io:5000/etcd:3.5.16-0' },
    ],
    ['one cluster on PVCs', [{}, WHOLE], undefined],
    ['one cluster with members whose Pods are gone', [{ members: 1 }, WHOLE], undefined],
    ['an etcd of this operator', [{ scheme: 'https' }, SPLIT], undefined],
  ])('tells %s', (_, [given, view, from], expected) => {
    expect(replacedEtcd(statefulSet(given), view, { from })).toEqual(expected);
  });

  it('needs a StatefulSet', () => {
    expect(replacedEtcd(undefined, SPLIT)).toBeUndefined();
  });

  it.each<readonly [string, EtcdView, object | undefined]>([
    ['goes on while no member is reached', NOTHING_SEEN, { cause: 'neverOneCluster' }],
    ['ends when the members are one cluster', WHOLE, undefined],
  ])('a recovery that has begun %s', (_, view, expected) => {
    expect(replacedEtcd(statefulSet({}), view, { isBegun: true })).toEqual(expected);
  });
});

describe('a recovery of members that never formed one cluster', () => {
  const FROM = 'karmada-demo-etcd-0/c0ffee/5';
  const record = {
    ...RECORD,
    origin: 'GoOperator',
    members: 1,
    recovery: {
      from: FROM,
      token: 't2',
      volume: 'r1-etcd-data',
      phase: 'restoring',
      isUnrecorded: true,
    },
  };
  const base = snapshotWith({ record: JSON.stringify(record) });
  const annotations = { [RECOVER_ANNOTATION]: FROM };
  const metadata = { ...base.karmada.metadata, annotations };
  const subject = { ...base, karmada: { ...base.karmada, metadata } };

  it('waits, and is not withdrawn, while the operator reaches none of the ready members', () => {
    const { pods, objects, claims } = subject.host;
    const backup = objects.find((one) => one.metadata.name.endsWith('-ca-backup'));
    const view = NOTHING_SEEN;
    const read = { backup, statefulSet: statefulSet({}), pods, claims, view, now: AT };
    expect(nextRecoveryStep(recoveryFacts(subject, read))).toEqual({
      kind: 'wait',
      message: 'member karmada-demo-etcd-0 does not respond',
    });
  });
});
