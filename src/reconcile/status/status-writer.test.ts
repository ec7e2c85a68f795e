import { describe, expect, it } from '@jest/globals';
import type { Condition, KarmadaStatus } from '../../api/karmada.ts';
import { paceOf } from './status-writer.ts';

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

describe('3.3 a status is written', () => {
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
