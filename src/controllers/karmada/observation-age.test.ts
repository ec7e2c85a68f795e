import { describe, expect, it } from '@jest/globals';
import { snapshotOf, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { ControlPlaneSnapshot } from '../../instance/snapshot.ts';
import { observationAgeOf } from './observation-age.ts';

const DESIRED = wishOf();
const SYNCING: ControlPlaneSnapshot = { state: 'syncing', message: 'unread', objects: [] };
const READY: ControlPlaneSnapshot = { state: 'ready', message: '', objects: [] };

const assessed = (controlPlane: ControlPlaneSnapshot) => ({
  snapshot: snapshotOf(DESIRED, [...DESIRED.steps], { controlPlane }),
  states: new Map(),
  unfinished: [],
  problem: undefined,
  blocked: undefined,
  rollout: { turn: 'go' } as const,
  outcome: { problems: [] },
});

describe('observationAgeOf', () => {
  it.each<[string, ControlPlaneSnapshot, object, boolean]>([
    [
      'false while the caches became complete after the reconcile had seen them incomplete',
      SYNCING,
      { controlPlane: { hasSynced: true } },
      false,
    ],
    ['true when the reconcile has seen complete caches', READY, {}, true],
    ['true when an earlier reconcile had seen complete caches', SYNCING, { hasRead: true }, true],
    ['false after a new client', SYNCING, { hasRead: false }, false],
  ])('returns hasRead %s', (_, seen, memory, expected) => {
    const { age, remember } = observationAgeOf(memory, assessed(seen), 1_000);
    expect([age.hasRead, remember.hasRead]).toEqual([expected, expected]);
  });

  it('returns the time since the first read', () => {
    const { age } = observationAgeOf({ readingSince: 400 }, assessed(SYNCING), 1_000);
    expect(age.sinceMs).toBe(600);
  });
});
