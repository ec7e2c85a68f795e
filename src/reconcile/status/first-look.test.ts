import { describe, expect, it } from '@jest/globals';
import type { Condition, KarmadaStatus } from '../../api/karmada.ts';
import { snapshotOf, wishOf } from '../__fixtures__/instance.ts';
import type { ControlPlaneSnapshot, Snapshot } from '../snapshot.ts';
import { FIRST_LOOK_MS, isUnread, PENDING_MS, type Reading } from './first-look.ts';

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
const UNANSWERED: ControlPlaneSnapshot = {
  state: 'waiting',
  message: 'it cannot be reached',
  ask: true,
  objects: [],
};
const UNRESOLVED = { ...UNANSWERED, problem: { reason: 'NameNotResolved', message: 'no name' } };
const UNREADY = { ...UNANSWERED, message: '/readyz: 500', listens: true };
const NO_PODS: ControlPlaneSnapshot = { state: 'waiting', message: 'no pod', objects: [] };
const READ: ControlPlaneSnapshot = { state: 'ready', message: '', objects: [] };

const UNOBSERVED: ControlPlaneSnapshot = {
  ...SYNCING,
  unobserved: { reason: 'ControlPlaneNotObserved', message: 'list roles: no' },
};
const PENDING = { pending: 'it is being fetched' };

interface Case {
  readonly controlPlane?: ControlPlaneSnapshot;
  readonly archive?: Snapshot['archive'];
  readonly said?: KarmadaStatus;
  readonly reading?: Partial<Reading>;
  readonly otherProblem?: true;
}

const snapshot = snapshotOf(wishOf(), []);

function unread({ said = before('True'), reading, otherProblem, ...parts }: Case): boolean {
  const seen = { ...snapshot, controlPlane: READ, ...parts };
  const problem = otherProblem
    ? { reason: 'CrashLoopBackOff', message: 'a pod fails' }
    : seen.controlPlane.problem;
  const assessed = { snapshot: seen, problem };
  return isUnread(assessed, said, { sinceMs: 0, pendingMs: 0, hasRead: false, ...reading });
}

describe('isUnread', () => {
  it.each<[string, Case]>([
    ['the control plane is being read', { controlPlane: SYNCING }],
    ['so, and it was not ready before', { controlPlane: SYNCING, said: before('False') }],
    ['so, and it was unknown before', { controlPlane: SYNCING, said: before('Unknown') }],
    ['its API server has not answered yet', { controlPlane: UNANSWERED }],
    ['its name is not resolved yet', { controlPlane: UNRESOLVED }],
    ['the CRD archive of a ready one is fetched', { archive: { pending: 'it is fetched' } }],
  ])('keeps the status while %s', (_, given) => {
    expect(unread(given)).toBe(true);
  });

  it.each<[string, Case]>([
    ['everything has been read', {}],
    ['nothing was said before', { controlPlane: SYNCING, said: {} }],
    ['the spec has changed since', { controlPlane: SYNCING, said: before('True', 1) }],
    ['something else is wrong', { controlPlane: SYNCING, otherProblem: true }],
    ['the API server says that it is not ready', { controlPlane: UNREADY }],
    ['there is no pod of the API server', { controlPlane: NO_PODS }],
    [
      'an API server that was not ready is silent',
      { controlPlane: UNANSWERED, said: before('False') },
    ],
    ['it was read and is silent now', { controlPlane: UNANSWERED, reading: { hasRead: true } }],
    [
      'its archive has been fetched for too long',
      { archive: PENDING, reading: { pendingMs: PENDING_MS } },
    ],
    ['what was read does not count any more', { controlPlane: UNOBSERVED }],
    ['the time is over', { controlPlane: SYNCING, reading: { sinceMs: FIRST_LOOK_MS } }],
    ['the time is over in vain', { controlPlane: UNRESOLVED, reading: { sinceMs: FIRST_LOOK_MS } }],
  ])('lets the status change when %s', (_, given) => {
    expect(unread(given)).toBe(false);
  });
});
