import { describe, expect, it } from '@jest/globals';
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';
import type { Change } from '../kubernetes/informers/informer-options.ts';
import { changesHosts, excessHosts, HostLimits, wantsNewHost } from './host-limits.ts';

interface Given {
  /** Name of the Secret of the spec; none for the management cluster. */
  readonly wants?: string;
  /** Name of the Secret with which the control plane is installed. */
  readonly in?: string;
  /** Seconds of the creation time. */
  readonly at?: number;
  readonly namespace?: string;
}

function karmadaOf(name: string, given: Given): Karmada {
  const { wants, in: installed, at = 0, namespace = 'team' } = given;
  const status: KarmadaStatus = installed
    ? { hostUID: 'uid', hostSecret: `${namespace}/${installed}`, hostEndpoint: 'https://host' }
    : {};
  const secretRef = wants === undefined ? undefined : { namespace, name: wants };
  return {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: {
      name,
      namespace,
      creationTimestamp: new Date(at * 1_000).toISOString().replace('.000', ''),
    },
    spec: { hostCluster: { ...(secretRef && { secretRef }) } },
    status,
  };
}

const karmadasOf = (given: Readonly<Record<string, Given>>): Karmada[] =>
  Object.entries(given).map(([name, one]) => karmadaOf(name, one));

describe('excessHosts', () => {
  it.each<[string, Readonly<Record<string, Given>>, readonly string[]]>([
    ['none within the limit', { a: { wants: 's1' }, b: { wants: 's2' } }, []],
    ['none of the management cluster', { a: {}, b: {}, c: {}, d: { wants: 's1' } }, []],
    [
      'none that another Karmada uses',
      { a: { wants: 's1' }, b: { wants: 's2' }, c: { wants: 's1' } },
      [],
    ],
    [
      'that of the youngest Karmada',
      { a: { wants: 's1', at: 3 }, b: { wants: 's2', at: 1 }, c: { wants: 's3', at: 2 } },
      ['s1'],
    ],
    [
      'that of the last name among Karmadas of the same second',
      { c: { wants: 's3' }, a: { wants: 's1' }, b: { wants: 's2' } },
      ['s3'],
    ],
    [
      'none with an installed control plane, although older Karmadas reference others',
      {
        a: { wants: 's1', at: 1 },
        b: { wants: 's2', in: 's2', at: 2 },
        c: { wants: 's3', in: 's3', at: 3 },
      },
      ['s1'],
    ],
    [
      'none with an installed control plane after the limit was lowered',
      {
        a: { wants: 's1', in: 's1' },
        b: { wants: 's2', in: 's2' },
        c: { wants: 's3', in: 's3' },
        d: { wants: 's4' },
      },
      ['s4'],
    ],
    [
      'none of a control plane that moves to another Secret, before new ones',
      {
        a: { wants: 's3', at: 1 },
        b: { wants: 's2', in: 's1', at: 2 },
        c: { wants: 's4', in: 's4', at: 3 },
      },
      ['s3'],
    ],
    [
      'those of new Karmadas while installed ones reference a Secret of another',
      { a: { wants: 's2', in: 's1' }, b: { wants: 's2', in: 's2' }, c: { wants: 's3' } },
      ['s3'],
    ],
    [
      'those of control planes that leave a common Secret for one Secret each',
      { a: { wants: 's2', in: 's1' }, b: { wants: 's3', in: 's1' }, c: { wants: 's4', in: 's1' } },
      ['s4'],
    ],
  ])('refuses %s, with a limit of 2', (_, given, expected) => {
    const karmadas = karmadasOf(given);
    const refused = (all: readonly Karmada[]) => [...excessHosts(all, 2).refused];
    const identities = expected.map((secret) => `team/${secret} `);
    expect(refused(karmadas)).toEqual(identities);
    expect(refused(karmadas.toReversed())).toEqual(identities);
  });
});

function setUp(limit: number, karmadas: Karmada[]) {
  const handlers: ((change: Change<Karmada>) => void)[] = [];
  let lists = 0;
  const cache = {
    get: () => undefined,
    list: () => {
      lists += 1;
      return karmadas;
    },
    byIndex: () => [],
  };
  const limits = new HostLimits(limit, { cache, onChange: (one) => handlers.push(one) });
  return {
    limits,
    lists: () => lists,
    tell: (change: Change<Karmada>) => {
      for (const handler of handlers) handler(change);
    },
  };
}

describe('HostLimits', () => {
  const many = Array.from({ length: 1_000 }, (_, index) =>
    karmadaOf(`k${String(index).padStart(3, '0')}`, { wants: `s${String(index)}` }),
  );

  it('admits as many host clusters of a namespace as the limit, and names the flag for the others', () => {
    const { limits } = setUp(100, many);
    const problems = many.map((karmada) => limits.problemOf(karmada));
    expect(problems.filter((problem) => problem === undefined)).toHaveLength(100);
    expect(problems[99]).toBeUndefined();
    expect(problems[100]?.reason).toBe('TooManyHostClusters');
    expect(problems[100]?.message).toMatch(
      /namespace team use 100 other host clusters.* limit .* 100.*administrator.*--max-host-clusters-per-namespace/,
    );
  });

  it('counts each namespace on its own', () => {
    const other = karmadaOf('other', { wants: 's', namespace: 'other', at: 9 });
    const { limits } = setUp(1, [...many, other]);
    expect(limits.problemOf(other)).toBeUndefined();
  });

  it('admits an installed control plane above a lower limit, so that it can be deleted', () => {
    const [a, b] = karmadasOf({ a: { wants: 's1', in: 's1' }, b: { wants: 's2', in: 's2' } });
    const { limits } = setUp(
      1,
      [a, b].flatMap((one) => one ?? []),
    );
    expect([a, b].map((one) => one && limits.problemOf(one))).toEqual([undefined, undefined]);
  });

  it('reads the Karmadas once until a host cluster changes', () => {
    const karmadas = karmadasOf({ a: { wants: 's1', at: 1 }, b: { wants: 's2', at: 2 } });
    const [a, b] = karmadas;
    if (a === undefined || b === undefined) throw new Error('no Karmadas');
    const { limits, lists, tell } = setUp(1, karmadas);
    for (let count = 0; count < 3; count += 1) expect(limits.problemOf(b)).toBeDefined();
    tell({ type: 'modified', object: { ...a, status: { phase: 'Running' } }, previous: a });
    expect(limits.problemOf(b)).toBeDefined();
    expect(lists()).toBe(1);
    karmadas.shift();
    tell({ type: 'deleted', object: a });
    expect(limits.problemOf(b)).toBeUndefined();
    expect(lists()).toBe(2);
  });
});

describe('changesHosts', () => {
  const one = karmadaOf('a', { wants: 's1' });

  it.each<[string, Change<Karmada>, boolean]>([
    ['a new Karmada', { type: 'added', object: one }, true],
    ['a new one of the management cluster', { type: 'added', object: karmadaOf('a', {}) }, false],
    ['a deletion', { type: 'deleted', object: one }, true],
    ['the same references', { type: 'modified', object: { ...one }, previous: one }, false],
    [
      'another Secret',
      { type: 'modified', object: karmadaOf('a', { wants: 's2' }), previous: one },
      true,
    ],
    [
      'an installation',
      { type: 'modified', object: karmadaOf('a', { wants: 's1', in: 's1' }), previous: one },
      true,
    ],
    [
      'another object of this name',
      { type: 'modified', object: karmadaOf('a', { wants: 's1', at: 5 }), previous: one },
      true,
    ],
  ])('returns for %s whether host clusters change', (_, change, expected) => {
    expect(changesHosts(change)).toBe(expected);
  });
});

describe('wantsNewHost', () => {
  it.each<[string, Given, boolean]>([
    ['the management cluster', {}, false],
    ['a host cluster without a control plane', { wants: 's1' }, true],
    ['that of its control plane', { wants: 's1', in: 's1' }, false],
    ['another Secret than its control plane has', { wants: 's2', in: 's1' }, true],
  ])(
    'returns for a Karmada that references %s whether the limit may apply',
    (_, given, expected) => {
      expect(wantsNewHost(karmadaOf('a', given))).toBe(expected);
    },
  );
});
