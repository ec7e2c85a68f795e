import { describe, expect, it } from '@jest/globals';

import {
  instanceName,
  maxNameLength,
  namesCollide,
  nameOwner,
  SERVICE_SUFFIXES,
} from './naming.ts';

describe('naming', () => {
  it.each([
    ['demo', 'apiserver', 'demo-karmada-apiserver'],
    ['karmada-demo', 'apiserver', 'karmada-demo-apiserver'],
    ['karmada', 'apiserver', 'karmada-apiserver'],
    ['mykarmadax', 'etcd-cert', 'mykarmadax-etcd-cert'],
    ['KARMADA', 'etcd', 'KARMADA-karmada-etcd'],
  ])('instanceName of %s and %s returns %s', (name, suffix, expected) => {
    expect(instanceName(name, suffix)).toBe(expected);
  });

  it.each([
    ['demo', 34],
    ['karmada', 42],
    ['my-karmada-1', 42],
  ])('maxNameLength of %s returns %d', (name, limit) => {
    expect(maxNameLength(name)).toBe(limit);
  });

  it('maxNameLength allows names whose longest Service name has exactly 63 characters', () => {
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
  ])('namesCollide of %s and %s returns %s', (one, other, expected) => {
    expect(namesCollide(one, other)).toBe(expected);
  });

  const at = (name: string, uid: string, second: number, namespace = 'ns') => ({
    name,
    uid,
    namespace,
    creationTimestamp: `2026-01-01T00:00:0${second}Z`,
  });

  it.each([
    [
      'the other Karmada when that was created earlier',
      at('demo-karmada', 'b', 2),
      at('demo', 'a', 1),
      'demo',
    ],
    [
      'undefined when the other Karmada was created later',
      at('demo', 'a', 1),
      at('demo-karmada', 'b', 2),
      undefined,
    ],
    [
      'the Karmada with the lower UID when both have the same creation time',
      at('demo', 'b', 1),
      at('demo-karmada', 'a', 1),
      'demo-karmada',
    ],
    [
      'undefined when the other Karmada is in another namespace',
      at('demo-karmada', 'b', 2),
      at('demo', 'a', 1, 'x'),
      undefined,
    ],
    ['undefined for the Karmada itself', at('demo', 'a', 1), at('demo', 'a', 1), undefined],
  ])('nameOwner returns %s', (_what, karmada, other, expected) => {
    expect(nameOwner(karmada, [karmada, other])?.name).toBe(expected);
  });
});
