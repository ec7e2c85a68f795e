/** Karmada objects of a fleet, for tests. */
import type { Condition, Karmada, KarmadaStatus } from '../../api/karmada.ts';

export const NOW = Date.parse('2026-05-01T00:00:00Z');

/** Time before `NOW`, RFC 3339. */
export const minutesAgo = (minutes: number): string =>
  new Date(NOW - minutes * 60_000).toISOString().replace('.000', '');

export const condition = (
  type: string,
  status: Condition['status'],
  reason: string,
  { message = '', minutes = 60 }: { readonly message?: string; readonly minutes?: number } = {},
): Condition => ({ type, status, reason, message, lastTransitionTime: minutesAgo(minutes) });

export const READY = condition('Ready', 'True', 'AsExpected');

export const VERSIONS = { karmada: 'v1.18.2', kubernetes: 'v1.35.4', etcd: '3.6.14' };

const RUNNING: KarmadaStatus = { phase: 'Running', versions: VERSIONS, conditions: [READY] };

/** A Karmada that is Ready, with another status or metadata. */
export const karmada = (
  name: string,
  status: KarmadaStatus = {},
  metadata: Partial<Karmada['metadata']> = {},
): Karmada => ({
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace: 'team', creationTimestamp: minutesAgo(600), ...metadata },
  status: { ...RUNNING, ...status },
});

/** A Karmada with a state of its operator rollout. */
export const rolling = (name: string, reason: string, minutes = 60): Karmada => {
  const isRolling = reason === 'Progressing' || reason === 'Failed';
  const rollout = condition('OperatorRollout', isRolling ? 'True' : 'False', reason, { minutes });
  return karmada(name, { conditions: [READY, rollout] });
};

/** A Karmada that cannot pull an image. */
export const failing = (name: string, minutes = 60): Karmada => {
  const text = { message: `Pod ${name}: image not found`, minutes };
  return karmada(name, {
    phase: 'Degraded',
    conditions: [
      condition('Ready', 'False', 'Failed', text),
      condition('Degraded', 'True', 'ImagePullFailed', text),
      condition('Stalled', 'True', 'ImagePullFailed', text),
    ],
  });
};

/** A Karmada that is upgraded. */
export const upgrading = (name: string, step: string, minutes = 60): Karmada =>
  karmada(name, {
    phase: 'Updating',
    versions: { ...VERSIONS, karmada: 'v1.17.1' },
    upgrade: {
      from: { ...VERSIONS, karmada: 'v1.17.1' },
      to: VERSIONS,
      step,
      phase: 'Progressing',
      startedAt: minutesAgo(minutes),
    },
  });
