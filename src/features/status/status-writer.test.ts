import { describe, expect, it } from '@jest/globals';
import type { Condition, Karmada, KarmadaStatus } from '../../api/karmada.ts';
import { currentStatus, paceOf } from './status-writer.ts';

function condition(type: string, status: Condition['status'], more: object = {}): Condition {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  return { type, status, reason: 'Progressing', message: '', lastTransitionTime, ...more };
}

const installing: KarmadaStatus = {
  phase: 'Installing',
  observedGeneration: 2,
  conditions: [condition('Ready', 'False'), condition('EtcdReady', 'False')],
};

const changed = (ready: Condition, etcd: Condition): KarmadaStatus => ({
  ...installing,
  conditions: [ready, etcd],
});

describe('paceOf', () => {
  const [ready, etcd] = [condition('Ready', 'False'), condition('EtcdReady', 'False')];

  it.each<[string, KarmadaStatus]>([
    ['the phase changes', { ...installing, phase: 'Failed' }],
    ['the generation changes', { ...installing, observedGeneration: 3 }],
    ['Ready changes', changed(condition('Ready', 'True'), etcd)],
    [
      'the reason of Ready changes',
      changed(condition('Ready', 'False', { reason: 'ChangeBlocked' }), etcd),
    ],
    [
      'the generation of Ready changes',
      changed(condition('Ready', 'False', { observedGeneration: 3 }), etcd),
    ],
    ['the Secret changes', { ...installing, secretRef: { name: 'x', namespace: 'y' } }],
  ])('writes at once when %s', (_, next) => {
    expect(paceOf(installing, next, 16_000)).toEqual({ afterMs: 0, messageBackoffMs: 2_000 });
  });

  const trial = { component: 'scheduler', since: '2026-01-01T00:00:00Z' };
  const refused = [{ component: 'scheduler', message: 'its Pods are not available' }];
  const onTrial = (more: object = {}): KarmadaStatus => ({
    ...installing,
    componentIdentities: { trial: { ...trial, ...more } },
  });

  it.each<[string, KarmadaStatus, KarmadaStatus]>([
    ['a component leaves the group system:masters', installing, onTrial()],
    ['its trial is over', onTrial(), installing],
    [
      'another component leaves the group',
      onTrial({ readySince: trial.since }),
      onTrial({ component: 'webhook' }),
    ],
    ['a component goes back', onTrial(), { ...installing, componentIdentities: { refused } }],
  ])('writes at once when %s', (_, before, next) => {
    expect(paceOf(before, next, 16_000).afterMs).toBe(0);
  });

  it.each(['readySince', 'downSince'])(
    'writes soon when a component that leaves the group has another %s',
    (field) => {
      const [before, next] = [onTrial(), onTrial({ [field]: trial.since })];
      for (const [from, to] of [
        [before, next],
        [next, before],
      ] as const)
        expect(paceOf(from, to, 16_000).afterMs).toBe(1_500);
    },
  );

  it.each([
    ['only the condition of a component changes', condition('EtcdReady', 'True')],
    [
      'only the reason of a component changes',
      condition('EtcdReady', 'False', { reason: 'ImagePullFailed' }),
    ],
  ])('batches writes when %s', (_, other) => {
    const next = changed(ready, other);
    expect(paceOf(installing, next, 4_000)).toEqual({ afterMs: 1_500, messageBackoffMs: 4_000 });
  });

  it('doubles the interval when only messages change', () => {
    const next = changed(condition('Ready', 'False', { message: '1 of 2' }), etcd);
    expect(paceOf(installing, next, 2_000)).toEqual({ afterMs: 2_000, messageBackoffMs: 4_000 });
    expect(paceOf(installing, next, 16_000)).toEqual({ afterMs: 16_000, messageBackoffMs: 16_000 });
  });
});

describe('currentStatus', () => {
  const instance = {
    key: 'test/example',
    settled: new Map<string, string>(),
    status: { uid: 'one', written: '10', status: installing },
  };
  const cached = (resourceVersion: string, uid = 'one'): Karmada =>
    ({ metadata: { uid, resourceVersion }, status: { phase: 'Failed' } }) as Karmada;

  it.each([
    ['the cache is older than the write', cached('8')],
    ['the cache has a change of the spec from just before the write', cached('9')],
  ])('returns the written status while %s', (_, karmada) => {
    expect(currentStatus(instance, karmada)).toBe(installing);
  });

  it.each([
    ['the cache has the write', cached('10')],
    ['the cache has a later version', cached('11')],
    ['a Karmada with another uid has this name', cached('8', 'two')],
  ])('returns the cached status when %s', (_, karmada) => {
    expect(currentStatus(instance, karmada).phase).toBe('Failed');
  });
});
