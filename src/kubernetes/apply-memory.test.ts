import { describe, expect, it } from '@jest/globals';
import { ApplyMemory, type Intent } from './apply-memory.ts';
import type { KubernetesObject } from './object.ts';

function deployment(resourceVersion: string, generation: number, uid = 'one'): KubernetesObject {
  const metadata = { namespace: 'team', name: 'demo', uid, resourceVersion, generation };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata };
}

const intent: Intent = {
  desired: deployment('', 0),
  hash: 'wish',
  reduce: (object) => object,
};

describe('what a cache would show that is behind our own write', () => {
  const written = deployment('7', 2);
  const cases: readonly (readonly [string, KubernetesObject, string])[] = [
    ['the version that was there at the write', deployment('5', 1), '7'],
    ['a status written before it', deployment('6', 1), '7'],
    ['the write itself', deployment('7', 2), '7'],
    ['a later change', deployment('8', 3), '8'],
    ['a status written after it', deployment('9', 2), '9'],
    ['another object of its name', deployment('4', 1, 'two'), '4'],
  ];
  it.each(cases)('%s', (_, cached, expected) => {
    const memory = new ApplyMemory();
    memory.written(intent, written, deployment('5', 1));
    expect(memory.current(intent, cached)?.metadata.resourceVersion).toBe(expected);
  });

  it('nothing, once the object is gone', () => {
    const memory = new ApplyMemory();
    memory.written(intent, written, deployment('5', 1));
    expect(memory.current(intent, undefined)).toBeUndefined();
  });
});
