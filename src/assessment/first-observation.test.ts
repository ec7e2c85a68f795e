import { describe, expect, it } from '@jest/globals';
import type { Condition, KarmadaStatus } from '../api/karmada.ts';
import { snapshotOf, wishOf } from '../instance/__fixtures__/instance.ts';
import type { ControlPlaneSnapshot, Snapshot } from '../instance/snapshot.ts';
import {
  FIRST_OBSERVATION_MS,
  isBeforeFirstObservation,
  PENDING_MS,
  type ObservationAge,
} from './first-observation.ts';

const before = (status: Condition['status'], observedGeneration = 2): KarmadaStatus => ({
  conditions: [
    {
      type: 'Ready',
      status,
      reason: 'Said',
      message: 'said before the restart',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration,
    },
  ],
});

const SYNCING: ControlPlaneSnapshot = { state: 'syncing', message: 'unread', objects: [] };
const READING: ControlPlaneSnapshot = { ...SYNCING, isReading: true };
const UNANSWERED: ControlPlaneSnapshot = {
  state: 'waiting',
  message: 'it cannot be reached',
  ask: true,
  objects: [],
};
const UNRESOLVED: ControlPlaneSnapshot = {
  ...UNANSWERED,
  problem: { reason: 'NameNotResolved', message: 'no name' },
};
const UNREADY = { ...UNANSWERED, message: '/readyz: 500', listens: true };
const NO_PODS: ControlPlaneSnapshot = { state: 'waiting', message: 'no pod', objects: [] };
const READ: ControlPlaneSnapshot = { state: 'ready', message: '', objects: [] };

const UNOBSERVED: ControlPlaneSnapshot = {
  ...SYNCING,
  unobserved: { reason: 'ControlPlaneNotObserved', message: 'list roles: no' },
};
/** A status of an operator that queried the members. */
const QUERIED: KarmadaStatus = {
  ...before('False'),
  etcdCluster: {
    clusterID: 'a',
    quorum: 'True',
    leader: 'etcd-0',
    observedTime: '2026-01-01T00:00:00Z',
    members: [],
  },
};
const PENDING = { pending: 'it is being fetched' };

interface Case {
  readonly controlPlane?: ControlPlaneSnapshot;
  readonly archive?: Snapshot['archive'];
  readonly said?: KarmadaStatus;
  readonly reading?: Partial<ObservationAge>;
  readonly otherProblem?: true;
}

const snapshot = snapshotOf(wishOf(), []);

function unread({ said = before('True'), reading, otherProblem, ...parts }: Case): boolean {
  const seen = { ...snapshot, controlPlane: READ, ...parts };
  const problem = otherProblem
    ? ({ reason: 'CrashLoopBackOff', message: 'a pod fails' } as const)
    : seen.controlPlane.problem;
  const assessed = { snapshot: seen, problem };
  return isBeforeFirstObservation(assessed, said, {
    sinceMs: 0,
    isPending: 'pending' in seen.archive,
    pendingMs: 0,
    hasRead: false,
    ...reading,
  });
}

describe('isBeforeFirstObservation', () => {
  it.each<[string, Case]>([
    ['the operator reads the control plane', { controlPlane: SYNCING }],
    [
      'the operator reads a control plane that was not ready',
      { controlPlane: SYNCING, said: before('False') },
    ],
    [
      'the operator reads a control plane whose readiness was unknown',
      { controlPlane: SYNCING, said: before('Unknown') },
    ],
    [
      'the operator reads a ready control plane for a long time and no call fails',
      { controlPlane: READING, reading: { sinceMs: PENDING_MS - 1 } },
    ],
    ['the API server has not answered yet', { controlPlane: UNANSWERED }],
    ['the name of the API server is not resolved yet', { controlPlane: UNRESOLVED }],
    [
      'the operator fetches the CRD archive of a ready control plane',
      { archive: { pending: 'it is fetched' } },
    ],
    [
      'the operator has not queried the etcd members of a control plane that was not ready',
      { said: QUERIED, reading: { isPending: true } },
    ],
  ])('returns true while %s', (_, given) => {
    expect(unread(given)).toBe(true);
  });

  it.each<[string, Case]>([
    ['the operator has read everything', {}],
    ['there is no previous status', { controlPlane: SYNCING, said: {} }],
    ['the spec has changed since', { controlPlane: SYNCING, said: before('True', 1) }],
    ['there is another problem', { controlPlane: SYNCING, otherProblem: true }],
    ['the API server reports that it is not ready', { controlPlane: UNREADY }],
    ['there is no Pod of the API server', { controlPlane: NO_PODS }],
    [
      'an API server that was not ready does not answer',
      { controlPlane: UNANSWERED, said: before('False') },
    ],
    [
      'the API server stops answering after it was read once',
      { controlPlane: UNANSWERED, reading: { hasRead: true } },
    ],
    [
      'the CRD archive is pending for too long',
      { archive: PENDING, reading: { pendingMs: PENDING_MS } },
    ],
    [
      'no operator has ever queried the etcd members of a control plane that is not ready',
      { said: before('False'), reading: { isPending: true } },
    ],
    [
      'the etcd members of a control plane that was not ready are not queried in time',
      { said: QUERIED, reading: { isPending: true, sinceMs: FIRST_OBSERVATION_MS } },
    ],
    ['the cache of the control plane is stale', { controlPlane: UNOBSERVED }],
    [
      'the time limit has passed',
      { controlPlane: SYNCING, reading: { sinceMs: FIRST_OBSERVATION_MS } },
    ],
    [
      'the longer time limit of reads without a failed call has passed',
      { controlPlane: READING, reading: { sinceMs: PENDING_MS } },
    ],
    [
      'the time limit has passed for a control plane that was not ready',
      {
        controlPlane: READING,
        said: before('False'),
        reading: { sinceMs: FIRST_OBSERVATION_MS },
      },
    ],
    [
      'the time limit has passed and the name is still not resolved',
      { controlPlane: UNRESOLVED, reading: { sinceMs: FIRST_OBSERVATION_MS } },
    ],
  ])('returns false when %s', (_, given) => {
    expect(unread(given)).toBe(false);
  });
});
