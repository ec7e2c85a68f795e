import { describe, expect, it } from '@jest/globals';
import type { KarmadaBackupStore, KarmadaBackupStoreStatus } from '../../../api/backup/kinds.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import { planStore, type StoreFacts } from './plan-store.ts';
import { PROBE_ANNOTATION } from './probe-pod.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const HOUR_MS = 3_600_000;
const s3 = {
  endpoint: 'https://s3.example.com',
  region: 'eu-1',
  bucket: 'backups',
  credentialsSecretRef: { name: 's3' },
};

const store = (
  spec: Partial<KarmadaBackupStore['spec']> = { s3 },
  status?: KarmadaBackupStoreStatus,
): KarmadaBackupStore => ({
  apiVersion: 'backup.operator.karmada.io/v1alpha1',
  kind: 'KarmadaBackupStore',
  metadata: { name: 'main', namespace: 'team', uid: 'u', generation: 1 },
  spec: { encryption: { mode: 'None' }, ...spec },
  ...(status && { status }),
});

const facts = (more: Partial<StoreFacts> = {}): StoreFacts => ({
  hasClaim: false,
  hash: 'now',
  pod: undefined,
  hasImage: true,
  now: NOW,
  ...more,
});

const pod = (status: object, hash = 'now', metadata: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'main-probe', annotations: { [PROBE_ANNOTATION]: hash }, ...metadata },
  status,
});

/** Status of a store whose probe ended some time ago. */
function after(hours: number, status: 'True' | 'False', hash = 'now'): KarmadaBackupStoreStatus {
  const time = new Date(NOW - hours * HOUR_MS).toISOString();
  const reason = status === 'True' ? 'ProbeSucceeded' : 'ProbeFailed';
  const conditions = [{ type: 'Ready', status, reason, message: 'm', lastTransitionTime: time }];
  return { probedAt: time, probedHash: hash, conditions };
}

const failed = {
  phase: 'Failed',
  containerStatuses: [
    {
      name: 'probe',
      state: { terminated: { exitCode: 1, message: '{"error":"PUT x: 403; do y"}' } },
    },
  ],
};

describe('planStore', () => {
  it.each<[string, KarmadaBackupStore, Partial<StoreFacts>, string, string | undefined]>([
    [
      'a wrong Secret',
      store(),
      { problem: { reason: 'CrashLoopBackOff', message: 'm' } },
      'False CrashLoopBackOff',
      undefined,
    ],
    [
      'a wrong Secret during a probe',
      store(),
      { problem: { reason: 'CrashLoopBackOff', message: 'm' }, pod: pod({ phase: 'Running' }) },
      ...(['False CrashLoopBackOff', 'delete'] as const),
    ],
    [
      'an existing PVC',
      store({ volume: { claimName: 'c' } }),
      { hasClaim: true },
      'True ClaimFound',
      undefined,
    ],
    ['no PVC', store({ volume: { claimName: 'c' } }), {}, 'Unknown ClaimNotFound', undefined],
    ['no probes', store({ s3, probe: 'Never' }), {}, 'Unknown ProbeDisabled', undefined],
    ['an operator without an image', store(), { hasImage: false }, 'Unknown NoImage', undefined],
    ['no probe yet', store(), {}, 'Unknown Probing', 'create'],
    ['a running Pod', store(), { pod: pod({ phase: 'Running' }) }, 'Unknown Probing', 'configure'],
    [
      'a Pod that succeeded',
      store(),
      { pod: pod({ phase: 'Succeeded' }) },
      'True ProbeSucceeded',
      'delete',
    ],
    ['a Pod that failed', store(), { pod: pod(failed) }, 'False ProbeFailed', 'delete'],
    ['a Pod of an earlier spec', store(), { pod: pod(failed, 'old') }, 'Unknown Probing', 'delete'],
    [
      'a terminating Pod',
      store(),
      { pod: pod(failed, 'now', { deletionTimestamp: 'x' }) },
      ...(['Unknown Probing', undefined] as const),
    ],
    [
      'a success of this day',
      store({ s3 }, after(23, 'True')),
      {},
      'True ProbeSucceeded',
      undefined,
    ],
    [
      'a success of yesterday',
      store({ s3 }, after(24, 'True')),
      {},
      'True ProbeSucceeded',
      'create',
    ],
    [
      'a success before a change',
      store({ s3 }, after(1, 'True', 'old')),
      {},
      'Unknown Probing',
      'create',
    ],
    ['a recent failure', store({ s3 }, after(0.1, 'False')), {}, 'False ProbeFailed', undefined],
    ['an older failure', store({ s3 }, after(0.2, 'False')), {}, 'False ProbeFailed', 'create'],
    [
      'a failure after Never',
      store({ s3 }, { ...after(1, 'True'), conditions: [] }),
      {},
      'Unknown Probing',
      'create',
    ],
  ])('reports and does what follows from %s', (_, of, ...[more, condition, action]) => {
    const plan = planStore(of, facts(more));
    const [ready] = plan.status.conditions ?? [];
    expect(`${ready?.status ?? ''} ${ready?.reason ?? ''}`).toBe(condition);
    expect(plan.pod).toBe(action);
    expect(plan.afterMs).toBeGreaterThan(0);
  });

  it('names the error of the probe, and remembers what was probed', () => {
    const { status } = planStore(store(), facts({ pod: pod(failed) }));
    expect(status).toMatchObject({
      probedAt: '2026-01-02T00:00:00Z',
      probedHash: 'now',
      conditions: [{ message: 'PUT x: 403; do y', observedGeneration: 1 }],
    });
  });

  it('changes no status at rest', () => {
    const first = planStore(store({ volume: { claimName: 'c' } }), facts({ hasClaim: true }));
    const later = facts({ hasClaim: true, now: NOW + HOUR_MS });
    expect(planStore(store({ volume: { claimName: 'c' } }, first.status), later).status).toEqual(
      first.status,
    );
    const probed = after(1, 'True');
    expect(planStore(store({ s3 }, probed), facts()).status).toBe(probed);
  });
});
