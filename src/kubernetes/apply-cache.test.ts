import { describe, expect, it } from '@jest/globals';
import { ApplyCache, type Intent } from './apply-cache.ts';
import type { KubernetesObject } from './object.ts';

function deployment(resourceVersion: string, generation: number, uid = 'one'): KubernetesObject {
  const metadata = { namespace: 'team', name: 'demo', uid, resourceVersion, generation };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata };
}

const intent: Intent = {
  desired: deployment('', 0),
  hash: 'hash',
  reduce: (object) => object,
};

describe('ApplyCache.current', () => {
  const written = deployment('7', 2);
  const cases: readonly (readonly [string, KubernetesObject, string])[] = [
    ['the write when the cache has the version before it', deployment('5', 1), '7'],
    ['the write when the cache has an older status update', deployment('6', 1), '7'],
    ['the cached object when it is the write', deployment('7', 2), '7'],
    ['the cached object when it has a later change', deployment('8', 3), '8'],
    ['the cached object when it has a later status update', deployment('9', 2), '9'],
    ['the cached object when it was recreated', deployment('4', 1, 'two'), '4'],
  ];
  it.each(cases)('returns %s', (_, cached, expected) => {
    const memory = new ApplyCache();
    memory.written(intent, written, deployment('5', 1));
    expect(memory.current(intent, cached)?.metadata.resourceVersion).toBe(expected);
  });

  it('returns undefined when the object is not cached', () => {
    const memory = new ApplyCache();
    memory.written(intent, written, deployment('5', 1));
    expect(memory.current(intent, undefined)).toBeUndefined();
  });
});
