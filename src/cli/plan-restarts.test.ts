import { describe, expect, it } from '@jest/globals';
import type { Workload } from '../components/workload.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
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

describe('hasPodsOf', () => {
  it.each<[string, KubernetesObject, boolean]>([
    ['returns true when all Pods are ready', replicaSet('a', 2), true],
    ['returns true when more Pods than replicas are ready', replicaSet('a', 3), true],
    ['returns false when one Pod is not ready', replicaSet('a', 1), false],
    ['returns false when no Pod is ready', replicaSet('a'), false],
    ['returns false when the Pod template differs', replicaSet('b', 2), false],
    ['returns false when another Deployment owns the ReplicaSet', replicaSet('a', 2, 'two'), false],
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

describe('replacedMembers', () => {
  const [one, two] = [revision('one', 'a'), revision('two', 'b')];
  it.each<[string, KubernetesObject[], KubernetesObject[], Replaced]>([
    ['returns only Pods of another revision', [one, two], members('one', 'one', 'two'), ['etcd-2']],
    [
      'returns no Pods when all have the revision of the template',
      [one, two],
      members('one', 'one', 'one'),
      [],
    ],
    ['returns all when no revision has the template', [two], members('two', 'two', 'two'), 'all'],
    [
      'returns Pods of a revision that no longer exists',
      [one, two],
      members('none', 'one', 'two'),
      ['etcd-0', 'etcd-2'],
    ],
    [
      'recognizes revisions of Kubernetes before 1.34, with creationTimestamp null',
      [revision('one', 'a', { creationTimestamp: null })],
      members('one', 'two', 'two'),
      ['etcd-1', 'etcd-2'],
    ],
    [
      'ignores revisions of another StatefulSet',
      [{ ...one, metadata: { name: 'one' } }],
      members('one', 'one', 'one'),
      'all',
    ],
  ])('%s', (_, revisions, pods, replaced) => {
    expect(replacedMembers(set, revisions, pods)).toEqual(replaced);
  });
});
