import { describe, expect, it } from '@jest/globals';
import { APPLIED_HASH } from '../kubernetes/compare.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { rolloutState } from './rollout.ts';

const status = {
  observedGeneration: 3,
  replicas: 3,
  updatedReplicas: 3,
  availableReplicas: 3,
  currentRevision: 'first',
  updateRevision: 'first',
};

function workload(change: object): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'etcd', generation: 3, annotations: { [APPLIED_HASH]: 'hash' } },
    spec: { replicas: 3 },
    status: { ...status, ...change },
  };
}

describe('the rollout of a workload', () => {
  it('when nothing is known of its pods', () => {
    const unseen = { ...workload({}), status: {} };
    expect(rolloutState(unseen, 'hash', 'etcd').state).toBe('progressing');
  });

  it.each([
    ['all pods are of the wanted revision and available', {}, 'complete'],
    ['its controller has not seen the change', { observedGeneration: 2 }, 'progressing'],
    // A change that was taken back: the wanted revision is the current one, and a pod has another.
    ['a pod is not of the wanted revision', { updatedReplicas: 2 }, 'progressing'],
    ['no pod is of the wanted revision', { updatedReplicas: 0 }, 'progressing'],
    ['a pod is not available', { availableReplicas: 2 }, 'progressing'],
    ['a pod too many is there', { replicas: 4 }, 'progressing'],
  ])('when %s', (_, change, state) => {
    expect(rolloutState(workload(change), 'hash', 'etcd').state).toBe(state);
  });
});
