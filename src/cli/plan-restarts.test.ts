import { describe, expect, it } from '@jest/globals';
import type { Workload } from '../components/workload.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { hasPodsOf } from './plan-restarts.ts';

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

describe('5.4 pods from before a rollout', () => {
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
