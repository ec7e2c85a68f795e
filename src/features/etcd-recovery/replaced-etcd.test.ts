import { describe, expect, it } from '@jest/globals';
import { etcdView, type EtcdView } from '../../etcd/view.ts';
import { answerOf, AT, podOf } from '../../etcd/__fixtures__/answers.ts';
import type { StatefulSet } from '../../kubernetes/objects/kinds.ts';
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
    expect(replacedEtcd(statefulSet(given), view, from)).toEqual(expected);
  });

  it('needs a StatefulSet', () => {
    expect(replacedEtcd(undefined, SPLIT, undefined)).toBeUndefined();
  });
});
