import { describe, expect, it } from '@jest/globals';
import type { KarmadaBackup, KarmadaRestore } from '../../../api/backup/kinds.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import { nextDeletionStep, type DeletionFacts } from './plan-deletion.ts';

const CREATED = '2026-01-01T00:00:00Z';
const BACKUP = {
  metadata: { name: 'old', namespace: 'team' },
  spec: { storeRef: { name: 'main' } },
} as unknown as KarmadaBackup;

const FACTS: DeletionFacts = {
  backupPod: undefined,
  deletionPod: undefined,
  mayStart: true,
  isNamespaceEnding: false,
  restores: [],
  now: Date.parse(CREATED) + 10_000,
};

const podWith = (status: object): KubernetesObject =>
  ({ metadata: { name: 'old-delete', creationTimestamp: CREATED }, status }) as never;

const restoreIn = (phase: string, backup = 'old'): KarmadaRestore =>
  ({
    metadata: { name: 'back' },
    spec: { backupRef: { name: backup } },
    status: { phase },
  }) as never;

const FAILED = podWith({
  phase: 'Failed',
  containerStatuses: [
    {
      name: 'delete',
      state: { terminated: { exitCode: 1, message: '{"error":"the store responded 403"}' } },
    },
  ],
});

describe('nextDeletionStep', () => {
  it.each<readonly [string, Partial<DeletionFacts>, object]>([
    ['starts a Pod', {}, { kind: 'start' }],
    ['ends the Pod of the backup first', { backupPod: podWith({}) }, { kind: 'deletePod' }],
    ['waits for the Pod', { deletionPod: podWith({ phase: 'Running' }) }, { kind: 'wait' }],
    ['ends', { deletionPod: podWith({ phase: 'Succeeded' }) }, { kind: 'release' }],
    ['ends with its namespace', { isNamespaceEnding: true, mayStart: false }, { kind: 'release' }],
    [
      'names what is missing',
      { mayStart: false },
      { kind: 'wait', report: { reason: 'DeletionFailed' } },
    ],
    [
      'waits for a restore',
      { restores: [restoreIn('Restoring')] },
      { kind: 'wait', report: { reason: 'InUse', message: expect.stringContaining('back') } },
    ],
    [
      'does not wait for other restores',
      { restores: [restoreIn('Complete'), restoreIn('Restoring', 'other')] },
      { kind: 'start' },
    ],
    [
      'names a failure',
      { deletionPod: FAILED },
      { kind: 'wait', report: { message: expect.stringContaining('responded 403') } },
    ],
    [
      'tries again after a failure',
      { deletionPod: FAILED, now: Date.parse(CREATED) + 61_000 },
      { kind: 'deletePod', report: { reason: 'DeletionFailed' } },
    ],
  ])('%s', (_, facts, expected) =>
    expect(nextDeletionStep(BACKUP, { ...FACTS, ...facts })).toMatchObject(expected),
  );

  it.each<readonly [string, string, object]>([
    [
      'waits at most an hour for the end of an object lock, and names it',
      '2026-01-02T00:00:00Z',
      {
        kind: 'wait',
        afterMs: 3_600_000,
        report: {
          reason: 'ObjectsLocked',
          message: expect.stringContaining('2026-01-02T00:00:00Z'),
        },
      },
    ],
    ['waits until the end of the lock', '2026-01-01T00:01:00Z', { kind: 'wait', afterMs: 51_000 }],
    ['deletes files whose lock has ended', CREATED, { kind: 'start' }],
  ])('%s', (_, lockedUntil, expected) => {
    const backup = { ...BACKUP, status: { lockedUntil } };
    expect(nextDeletionStep(backup, FACTS)).toMatchObject(expected);
    // The namespace does not wait.
    const facts = { ...FACTS, isNamespaceEnding: true };
    expect(nextDeletionStep(backup, facts)).toEqual({ kind: 'release' });
  });
});
