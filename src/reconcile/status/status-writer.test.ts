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

describe('a status is written', () => {
  const [ready, etcd] = [condition('Ready', 'False'), condition('EtcdReady', 'False')];

  it.each<[string, KarmadaStatus]>([
    ['the phase', { ...installing, phase: 'Failed' }],
    ['the generation', { ...installing, observedGeneration: 3 }],
    ['Ready', changed(condition('Ready', 'True'), etcd)],
    ['why Ready is False', changed(condition('Ready', 'False', { reason: 'Held' }), etcd)],
    ['what Ready is about', changed(condition('Ready', 'False', { observedGeneration: 3 }), etcd)],
    ['the Secret', { ...installing, secretRef: { name: 'x', namespace: 'y' } }],
  ])('at once when %s changes', (_, next) => {
    expect(paceOf(installing, next, 16_000)).toEqual({ afterMs: 0, wordsAfterMs: 2_000 });
  });

  it.each([
    ['only a component changes', condition('EtcdReady', 'True')],
    ['its problem changes', condition('EtcdReady', 'False', { reason: 'ImagePullFailed' })],
  ])('with others when %s', (_, other) => {
    const next = changed(ready, other);
    expect(paceOf(installing, next, 4_000)).toEqual({ afterMs: 1_500, wordsAfterMs: 4_000 });
  });

  it('ever less often when only words change', () => {
    const next = changed(condition('Ready', 'False', { message: '1 of 2' }), etcd);
    expect(paceOf(installing, next, 2_000)).toEqual({ afterMs: 2_000, wordsAfterMs: 4_000 });
    expect(paceOf(installing, next, 16_000)).toEqual({ afterMs: 16_000, wordsAfterMs: 16_000 });
  });
});

describe('a status that was written', () => {
  const instance = {
    key: 'test/example',
    settled: new Map<string, string>(),
    status: { uid: 'one', written: '10', status: installing },
  };
  const cached = (resourceVersion: string, uid = 'one'): Karmada =>
    ({ metadata: { uid, resourceVersion }, status: { phase: 'Failed' } }) as Karmada;

  it.each([
    ['the cache shows what it was before', cached('8')],
    ['the cache shows a change of the spec that came just before it', cached('9')],
  ])('holds while %s', (_, karmada) => {
    expect(currentStatus(instance, karmada)).toBe(installing);
  });

  it.each([
    ['the cache shows it', cached('10')],
    ['the cache shows a later one', cached('11')],
    ['the Karmada is another one', cached('8', 'two')],
  ])('is no more than what is cached when %s', (_, karmada) => {
    expect(currentStatus(instance, karmada).phase).toBe('Failed');
  });
});
