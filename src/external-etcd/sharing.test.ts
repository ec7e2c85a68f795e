import { describe, expect, it } from '@jest/globals';
import type { Components, Karmada } from '../api/karmada.ts';
import { elderOnSameKeys } from './sharing.ts';

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

/** The same prefix for these components. */
const prefix = (value: string, keys: readonly (typeof ALL)[number][] = ALL): Components =>
  Object.fromEntries(keys.map((key) => [key, { extraArgs: { 'etcd-prefix': value } }]));

const E = 'https://etcd.storage:2379';

describe('two control planes on one external etcd', () => {
  const first = karmada('first', 1, E);

  it.each<[string, Karmada, boolean]>([
    ['with nothing said', karmada('second', 2, E), true],
    ['named otherwise', karmada('second', 2, 'etcd.storage.svc.cluster.local:2379'), true],
    [
      'with the same prefix, said in other words',
      karmada('second', 2, E, prefix('registry/')),
      true,
    ],
    ['with a prefix of its own', karmada('second', 2, E, prefix('/second')), false],
    [
      'with a prefix of its own for one of them',
      karmada('second', 2, E, prefix('/second', ['karmadaAPIServer'])),
      true,
    ],
    [
      'with a prefix of its own for those it has',
      karmada(
        'second',
        2,
        E,
        prefix('/second', ['karmadaAPIServer', 'karmadaAggregatedAPIServer']),
      ),
      false,
    ],
    ['at another port', karmada('second', 2, 'https://etcd.storage:2380'), false],
    ['on another etcd', karmada('second', 2, 'https://etcd.elsewhere:2379'), false],
  ])('%s', (_, second, shares) => {
    expect(elderOnSameKeys(second, [first, second])?.metadata.name).toBe(
      shares ? 'first' : undefined,
    );
    expect(elderOnSameKeys(first, [first, second])).toBeUndefined();
  });

  it('of equal age give way one way round only', () => {
    const [a, b] = [karmada('a', 1, E), karmada('b', 1, E)];
    expect(elderOnSameKeys(b, [a, b])).toBe(a);
    expect(elderOnSameKeys(a, [a, b])).toBeUndefined();
  });

  it('of three the oldest is named', () => {
    const [second, third] = [karmada('second', 2, E), karmada('third', 3, E)];
    expect(elderOnSameKeys(third, [third, second, first])).toBe(first);
  });

  it('a name of one label is a Service of each namespace', () => {
    const short = 'https://etcd:2379';
    const [one, other] = [karmada('one', 1, short), karmada('other', 2, short)];
    expect(elderOnSameKeys(other, [one, other])).toBeUndefined();
  });

  it('the own etcd of another is one that can be shared', () => {
    const local = { ...karmada('local', 1, E), spec: {} };
    const endpoint = 'https://local-karmada-etcd-client.team-local.svc.cluster.local:2379';
    const second = karmada('second', 2, endpoint);
    expect(elderOnSameKeys(second, [local, second])).toBe(local);
    const apart = karmada('second', 2, endpoint, prefix('/second'));
    expect(elderOnSameKeys(apart, [local, apart])).toBeUndefined();
    const younger = {
      ...local,
      metadata: { ...local.metadata, ...karmada('local', 3, E).metadata },
    };
    expect(elderOnSameKeys(younger, [second, younger])).toBeUndefined();
  });

  it('endpoints that are none concern nobody', () => {
    const local = { ...karmada('local', 1, E), spec: {} };
    const broken = karmada('broken', 1, 'https://a b:x');
    const second = karmada('second', 2, E);
    expect(elderOnSameKeys(second, [local, broken, second])).toBeUndefined();
    expect(elderOnSameKeys(broken, [second, broken])).toBeUndefined();
  });
});
