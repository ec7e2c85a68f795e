import { describe, expect, it } from '@jest/globals';
import type { KarmadaStatus } from '../api/karmada.ts';
import { defaultSpec } from '../api/defaults/defaults.ts';
import { karmadaOf } from '../instance/__fixtures__/instance.ts';
import type { ReadyRecord } from '../instance/ready-record.ts';
import { failureText, rolledBackChanges } from './plan-rollback.ts';

const SPEC = {
  version: 'v1.17.1',
  upgrade: { onFailure: 'Rollback', stepDeadline: '5m' },
} as const;
const STATUS: KarmadaStatus = {
  secretRef: { name: 'admin' },
  versions: { karmada: 'v1.16.0', kubernetes: 'v1.34.3' },
};
const record: ReadyRecord = {
  secret: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
  specHash: 'another',
};
const defaulted = (spec: object) => defaultSpec(spec, { defaultStorageClass: false });

describe('failureText', () => {
  it('names the state and the time of a rollback', () => {
    expect(failureText(karmadaOf(SPEC), { readyRecord: record }, STATUS)).toEqual([
      'the operator returns to the last ready spec (Karmada v1.16.0, Kubernetes v1.34.3) 5m after the start of the step; etcd and CRDs stay',
    ]);
  });

  it('names the field that is set too late', () => {
    expect(failureText(karmadaOf(SPEC), {}, STATUS)).toEqual([
      expect.stringContaining('set spec.upgrade.onFailure before the change'),
    ]);
  });

  it('is empty with onFailure: Halt, and for a new Karmada', () => {
    expect(failureText(karmadaOf({}), { readyRecord: record }, STATUS)).toEqual([]);
    expect(failureText(karmadaOf(SPEC), {}, {})).toEqual([]);
  });
});

describe('rolledBackChanges', () => {
  it('names fields, cause, state and remedy of a change that was rolled back', () => {
    const rollback = {
      failed: {
        specHash: 'a',
        step: 'karmada-webhook',
        reason: 'ImagePullFailed',
        message: 'Pod a: no image',
        at: '2026-01-01T00:00:00Z',
      },
      lastReady: defaulted({ version: 'v1.16.0' }),
      target: defaulted(SPEC),
      changed: ['spec.version', 'spec.a', 'spec.b', 'spec.c'],
      isOverdue: false,
    };
    expect(rolledBackChanges({ rollback })).toEqual([
      {
        step: 'karmada-webhook',
        reason: 'UpgradeRolledBack',
        message:
          'spec.version, spec.a, spec.b and 1 more: karmada-webhook was not ready within 5m (Pod a: no image); the control plane runs the last ready spec again (Kubernetes v1.34.3 instead of v1.35.4, Karmada v1.16.0 instead of v1.17.1); revert or correct the change, or set spec.upgrade.stepDeadline to another value to try again',
      },
    ]);
    expect(rolledBackChanges({})).toEqual([]);
  });
});
