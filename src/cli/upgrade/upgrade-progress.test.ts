import { expect, it } from '@jest/globals';
import type { Condition, KarmadaStatus } from '../../api/karmada.ts';
import { upgradeProgress } from './upgrade-progress.ts';

const condition = (type: string, status: Condition['status'], message = ''): Condition => ({
  type,
  status,
  message,
  reason: 'Reason',
  lastTransitionTime: '',
});

const NEW = { karmada: 'v1.18.2', kubernetes: 'v1.35.4' };

it.each<[string, KarmadaStatus | undefined, string, string]>([
  [
    'is running before the first observation',
    undefined,
    'running',
    'Waiting for the operator to observe the new version',
  ],
  [
    'ignores Ready of an earlier generation',
    { observedGeneration: 1, conditions: [condition('Ready', 'True')] },
    'running',
    'Waiting for the operator to observe the new version',
  ],
  [
    'names the step',
    { observedGeneration: 2, phase: 'Updating', upgrade: { step: 'karmada-webhook' } },
    'running',
    'Phase Updating, step karmada-webhook',
  ],
  [
    'names the backup before the first step',
    { observedGeneration: 2, phase: 'Updating', upgrade: { step: 'backup', backup: 'before' } },
    'running',
    'Phase Updating, step backup (KarmadaBackup before)',
  ],
  [
    'is complete when Ready',
    { observedGeneration: 2, versions: NEW, conditions: [condition('Ready', 'True')] },
    'complete',
    'Upgrade complete: Karmada v1.18.2, Kubernetes v1.35.4',
  ],
  [
    'fails if the upgrade is blocked',
    { observedGeneration: 2, conditions: [condition('Stalled', 'True', 'a flag is unknown')] },
    'failed',
    'Reason: a flag is unknown',
  ],
  [
    'fails after a rollback',
    { observedGeneration: 2, upgrade: { phase: 'RolledBack', reason: 'R', message: 'm' } },
    'failed',
    'upgrade RolledBack: R m',
  ],
])('upgradeProgress %s', (_, status, state, message) => {
  const karmada = {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name: 'demo' },
    ...(status && { status }),
  } as const;
  expect(upgradeProgress(karmada, 2)).toEqual({ state, message });
});
