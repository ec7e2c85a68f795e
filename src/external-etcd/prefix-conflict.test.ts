import { describe, expect, it } from '@jest/globals';
import type { Components, Karmada } from '../api/karmada.ts';
import { PrefixConflicts } from './prefix-conflict.ts';

const ALL = ['karmadaAPIServer', 'karmadaAggregatedAPIServer', 'karmadaSearch'] as const;

function karmada(
  name: string,
  born: number,
  endpoint: string,
  components: Components = {},
): Karmada {
  const external = { endpoints: [endpoint], secretRef: { name: 'etcd' } };
  return {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: {
      name,
      namespace: `team-${name}`,
      uid: `uid-${name}`,
      creationTimestamp: `2026-01-0${born}T00:00:00Z`,
    },
    spec: { components: { ...components, etcd: { external } } },
  };
}

/** Settings with the same prefix for these components. */
const prefix = (value: string, keys: readonly (typeof ALL)[number][] = ALL): Components =>
  Object.fromEntries(keys.map((key) => [key, { extraArgs: { 'etcd-prefix': value } }]));

const E = 'https://etcd.storage:2379';

const findPrefixConflict = (one: Karmada, others: readonly Karmada[]): Karmada | undefined =>
  new PrefixConflicts().find(one, others);

describe('PrefixConflicts', () => {
  const first = karmada('first', 1, E);

  it.each<[string, Karmada, boolean]>([
    ['both use the defaults', karmada('second', 2, E), true],
    [
      'the same Service has another name',
      karmada('second', 2, 'etcd.storage.svc.cluster.local:2379'),
      true,
    ],
    ['the same prefix is written differently', karmada('second', 2, E, prefix('registry/')), true],
    ['the same prefix has dots', karmada('second', 2, E, prefix('/a/.././registry')), true],
    ['the second has another prefix', karmada('second', 2, E, prefix('/second')), false],
    [
      'only one component of the second has another prefix',
      karmada('second', 2, E, prefix('/second', ['karmadaAPIServer'])),
      true,
    ],
    [
      'all enabled components of the second have another prefix',
      karmada(
        'second',
        2,
        E,
        prefix('/second', ['karmadaAPIServer', 'karmadaAggregatedAPIServer']),
      ),
      false,
    ],
    ['the second uses another port', karmada('second', 2, 'https://etcd.storage:2380'), false],
    ['the second uses another etcd', karmada('second', 2, 'https://etcd.elsewhere:2379'), false],
  ])('returns the earlier Karmada only for a shared key range when %s', (_, second, shares) => {
    expect(findPrefixConflict(second, [first, second])?.metadata.name).toBe(
      shares ? 'first' : undefined,
    );
    expect(findPrefixConflict(first, [first, second])).toBeUndefined();
  });

  it('reports the conflict for only one of two Karmadas when they have the same creation time', () => {
    const [a, b] = [karmada('a', 1, E), karmada('b', 1, E)];
    expect(findPrefixConflict(b, [a, b])).toBe(a);
    expect(findPrefixConflict(a, [a, b])).toBeUndefined();
  });

  it('returns the oldest Karmada when three share a key range', () => {
    const [second, third] = [karmada('second', 2, E), karmada('third', 3, E)];
    expect(findPrefixConflict(third, [third, second, first])).toBe(first);
  });

  it('treats a single-label host name as a Service of the namespace of each Karmada', () => {
    const short = 'https://etcd:2379';
    const [one, other] = [karmada('one', 1, short), karmada('other', 2, short)];
    expect(findPrefixConflict(other, [one, other])).toBeUndefined();
  });

  it('detects a conflict with the local etcd of another Karmada', () => {
    const local = { ...karmada('local', 1, E), spec: {} };
    const endpoint = 'https://local-karmada-etcd-client.team-local.svc.cluster.local:2379';
    const second = karmada('second', 2, endpoint);
    expect(findPrefixConflict(second, [local, second])).toBe(local);
    const apart = karmada('second', 2, endpoint, prefix('/second'));
    expect(findPrefixConflict(apart, [local, apart])).toBeUndefined();
    const younger = {
      ...local,
      metadata: { ...local.metadata, ...karmada('local', 3, E).metadata },
    };
    expect(findPrefixConflict(younger, [second, younger])).toBeUndefined();
  });

  it('ignores invalid endpoints', () => {
    const local = { ...karmada('local', 1, E), spec: {} };
    const broken = karmada('broken', 1, 'https://a b:x');
    const second = karmada('second', 2, E);
    expect(findPrefixConflict(second, [local, broken, second])).toBeUndefined();
    expect(findPrefixConflict(broken, [second, broken])).toBeUndefined();
  });

  it('derives sockets once, and prefixes only for a common socket', () => {
    let [endpoints, prefixes] = [0, 0];
    const counted = (name: string, endpoint: string): Karmada => {
      const external = {
        secretRef: { name: 'etcd' },
        get endpoints() {
          endpoints += 1;
          return [endpoint];
        },
      };
      const apiServer = {
        get extraArgs() {
          prefixes += 1;
          return { 'etcd-prefix': `/${'x'.repeat(100_000)}` };
        },
      };
      const base = karmada(name, 1, endpoint);
      return { ...base, spec: { components: { karmadaAPIServer: apiServer, etcd: { external } } } };
    };
    const others = Array.from({ length: 100 }, (_, n) => counted(`k${String(n)}`, 'https://x:1'));
    const near = counted('near', E);
    const conflicts = new PrefixConflicts();
    for (let turn = 0; turn < 50; turn += 1)
      expect(conflicts.find(karmada('victim', 2, E), [...others, near])).toBe(near);
    expect([endpoints, prefixes]).toEqual([101, 1]);
  });
});
