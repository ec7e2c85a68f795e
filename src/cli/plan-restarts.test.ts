import { describe, expect, it } from '@jest/globals';
import type { Workload } from '../components/workload.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { hasPodsOf, replacedMembers, type Replaced } from './plan-restarts.ts';

const template = (image: string, labels: object = {}) => ({
  metadata: { labels: { app: 'demo', ...labels } },
  spec: { containers: [{ name: 'demo', image }] },
});

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'demo', uid: 'one' },
  spec: { replicas: 2, selector: { matchLabels: { app: 'demo' } }, template: template('a') },
} as const satisfies Workload;

const replicaSet = (image: string, readyReplicas?: number, uid = 'one'): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: {
    name: 'demo-5c4b9fbdc',
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'demo', uid }],
  },
  spec: { template: template(image, { 'pod-template-hash': '5c4b9fbdc' }) },
  ...(readyReplicas !== undefined && { status: { readyReplicas } }),
});

describe('pods from before a rollout', () => {
  it.each<[string, KubernetesObject, boolean]>([
    ['stay when all of them are ready', replicaSet('a', 2), true],
    ['stay when there are more', replicaSet('a', 3), true],
    ['do not when one is missing', replicaSet('a', 1), false],
    ['do not when none is ready', replicaSet('a'), false],
    ['do not when they are others', replicaSet('b', 2), false],
    ["do not when they are another Deployment's", replicaSet('a', 2, 'two'), false],
  ])('%s', (_, found, stay) => {
    expect(hasPodsOf(found, deployment)).toBe(stay);
  });
});

const set = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'etcd', uid: 'set' },
  spec: { replicas: 3, selector: { matchLabels: { app: 'demo' } }, template: template('a') },
} as const satisfies Workload;

const ownedBySet = [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'etcd', uid: 'set' }];

const revision = (name: string, image: string, metadata: object = {}): KubernetesObject => {
  const { spec, metadata: labels } = template(image);
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name, ownerReferences: ownedBySet },
    data: { spec: { template: { spec, metadata: { ...labels, ...metadata }, $patch: 'replace' } } },
  };
};

const members = (...revisions: string[]): KubernetesObject[] =>
  revisions.map((hash, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `etcd-${String(index)}`,
      labels: { 'controller-revision-hash': hash },
      ownerReferences: ownedBySet,
    },
  }));

describe('members from before a rollout', () => {
  const [one, two] = [revision('one', 'a'), revision('two', 'b')];
  it.each<[string, KubernetesObject[], KubernetesObject[], Replaced]>([
    ['stay', [one, two], members('one', 'one', 'two'), ['etcd-2']],
    ['stay, all of them', [one, two], members('one', 'one', 'one'), []],
    ['go when they are others', [two], members('two', 'two', 'two'), 'all'],
    ['go when they are older', [one, two], members('none', 'one', 'two'), ['etcd-0', 'etcd-2']],
    [
      'are known by what older releases write',
      [revision('one', 'a', { creationTimestamp: null })],
      members('one', 'two', 'two'),
      ['etcd-1', 'etcd-2'],
    ],
    [
      "are not another StatefulSet's",
      [{ ...one, metadata: { name: 'one' } }],
      members('one', 'one', 'one'),
      'all',
    ],
  ])('%s', (_, revisions, pods, replaced) => {
    expect(replacedMembers(set, revisions, pods)).toEqual(replaced);
  });
});
