import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import {
  FAILED_CHANGE_ANNOTATION,
  readyRecord,
  recordName,
  SPEC_HASH_ANNOTATION,
  type FailedChange,
} from './ready-record.ts';

const KARMADA = { metadata: { name: 'demo', namespace: 'team' } };
const FAILED: FailedChange = {
  specHash: 'abc',
  step: 'karmada-apiserver',
  reason: 'ComponentFailing',
  message: 'karmada-apiserver: CrashLoopBackOff',
  at: '2026-01-01T00:00:00.000Z',
};

/** The failed change of a record with these fields in its annotation. */
function failedWith(change: Readonly<Partial<Record<keyof FailedChange, unknown>>>) {
  const value = JSON.stringify({ ...FAILED, ...change });
  const annotations = { [SPEC_HASH_ANNOTATION]: 'def', [FAILED_CHANGE_ANNOTATION]: value };
  const secret: KubernetesObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: recordName(KARMADA), namespace: 'team', annotations },
  };
  return readyRecord([secret], KARMADA)?.failed;
}

describe('readyRecord', () => {
  it('returns the failed change that the operator has recorded', () => {
    expect(failedWith({})).toEqual(FAILED);
  });

  it.each<[string, Parameters<typeof failedWith>[0]]>([
    ['a time that no status can contain', { at: 'yesterday' }],
    ['a time after the year 9999', { at: '+275760-09-13T00:00:00.000Z' }],
    ['a reason that is no word', { reason: 'not a word' }],
    ['a step of any length', { step: 'x'.repeat(1_000) }],
    ['a message that is no text', { message: 1 }],
  ])('ignores a failed change with %s', (_, change) => {
    expect(failedWith(change)).toBeUndefined();
  });

  it('returns the message of another author on one line, without signs that change its direction', () => {
    const message = `etcd\u001b[2K\n\u202eready${'!'.repeat(100_000)}`;
    const shown = failedWith({ message })?.message ?? '';
    expect(shown.startsWith('etcd [2K ready!!')).toBe(true);
    expect(shown.length).toBeLessThanOrEqual(4_096);
  });
});
