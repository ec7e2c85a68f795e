import { describe, expect, it } from '@jest/globals';

import {
  instanceName,
  maxNameLength,
  namesCollide,
  nameOwner,
  SERVICE_SUFFIXES,
} from './naming.ts';

describe('names', () => {
  it.each([
    ['demo', 'apiserver', 'demo-karmada-apiserver'],
    ['karmada-demo', 'apiserver', 'karmada-demo-apiserver'],
    ['karmada', 'apiserver', 'karmada-apiserver'],
    ['mykarmadax', 'etcd-cert', 'mykarmadax-etcd-cert'],
    ['KARMADA', 'etcd', 'KARMADA-karmada-etcd'],
  ])('N of %s and %s is %s', (name, suffix, expected) => {
    expect(instanceName(name, suffix)).toBe(expected);
  });

  it.each([
    ['demo', 34],
    ['karmada', 42],
    ['my-karmada-1', 42],
  ])('%s may have %d characters', (name, limit) => {
    expect(maxNameLength(name)).toBe(limit);
  });

  it('the longest name just fits all Services', () => {
    for (const name of ['a'.repeat(34), `karmada${'a'.repeat(35)}`]) {
      const lengths = SERVICE_SUFFIXES.map((suffix) => instanceName(name, suffix).length);
      expect(Math.max(...lengths)).toBe(63);
    }
  });

  it.each([
    ['demo', 'demo-karmada', true],
    ['demo-karmada', 'demo', true],
    ['demo', 'demo', false],
    ['demo', 'karmada-demo', false],
    ['karmada', 'karmada-karmada', false],
  ])('%s and %s collide: %s', (one, other, expected) => {
    expect(namesCollide(one, other)).toBe(expected);
  });

  const at = (name: string, uid: string, second: number, namespace = 'ns') => ({
    name,
    uid,
    namespace,
    creationTimestamp: `2026-01-01T00:00:0${second}Z`,
  });

  it.each([
    ['the younger gives way', at('demo-karmada', 'b', 2), at('demo', 'a', 1), 'demo'],
    ['the older does not', at('demo', 'a', 1), at('demo-karmada', 'b', 2), undefined],
    [
      'equal ages are told apart by uid',
      at('demo', 'b', 1),
      at('demo-karmada', 'a', 1),
      'demo-karmada',
    ],
    [
      'another namespace is no matter',
      at('demo-karmada', 'b', 2),
      at('demo', 'a', 1, 'x'),
      undefined,
    ],
    ['nobody collides with itself', at('demo', 'a', 1), at('demo', 'a', 1), undefined],
  ])('%s', (_what, karmada, other, expected) => {
    expect(nameOwner(karmada, [karmada, other])?.name).toBe(expected);
  });
});
