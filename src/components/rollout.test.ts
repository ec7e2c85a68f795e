import { describe, expect, it } from '@jest/globals';
import { APPLIED_HASH } from '../kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
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

describe('rolloutState', () => {
  it('is progressing when the controller has not written a status', () => {
    const unseen = { ...workload({}), status: {} };
    expect(rolloutState(unseen, 'hash', 'etcd').state).toBe('progressing');
  });

  it.each([
    ['all Pods are updated and available', {}, 'complete'],
    ['the controller has not observed the generation', { observedGeneration: 2 }, 'progressing'],
    // A reverted change: the desired revision is the current one, and one Pod has another revision.
    ['one Pod is not updated', { updatedReplicas: 2 }, 'progressing'],
    ['no Pod is updated', { updatedReplicas: 0 }, 'progressing'],
    ['one Pod is not available', { availableReplicas: 2 }, 'progressing'],
    ['a Pod of the previous revision exists', { replicas: 4 }, 'progressing'],
  ])('evaluates the state when %s', (_, change, state) => {
    expect(rolloutState(workload(change), 'hash', 'etcd').state).toBe(state);
  });

  it.each([
    [
      'waits for an updated Pod',
      { replicas: 4 },
      'StatefulSet etcd: the rolling update waits for an updated Pod; 3 of 4 Pods available',
    ],
    [
      'has to delete a Pod',
      { replicas: 4, availableReplicas: 4 },
      'StatefulSet etcd: a Pod of the previous revision still exists',
    ],
  ])('says whether the rolling update %s', (_, change, message) => {
    expect(rolloutState(workload(change), 'hash', 'etcd').message).toBe(message);
  });

  it.each([
    ['only the generation is not observed', { observedGeneration: 2 }, true],
    ['a Pod is not available', { observedGeneration: 2, availableReplicas: 2 }, undefined],
    ['a Pod is not updated', { observedGeneration: 2, updatedReplicas: 2 }, undefined],
    ['everything is observed', {}, undefined],
    ['a Pod is not updated in the latest generation', { updatedReplicas: 2 }, undefined],
  ])('says whether only the controller is awaited when %s', (_, change, expected) => {
    expect(rolloutState(workload(change), 'hash', 'etcd').isUnobserved).toBe(expected);
  });
});
