import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { APPLIED_HASH, differences, needsApply, projection } from './compare.ts';
import type { KubernetesObject } from './object.ts';

function object(spec: unknown, metadata: object = {}): KubernetesObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x', ...metadata }, spec };
}

/** Creates an object with a list in the given field. */
function listed(field: string, items: unknown): KubernetesObject {
  return object({ [field]: items });
}

describe('differences', () => {
  it.each<[string, unknown, unknown, string[]]>([
    ['equal objects', { a: 1, b: { c: 'x' } }, { a: 1, b: { c: 'x' } }, []],
    ['additional fields in the live object', { a: 1, b: { c: 'x' } }, { a: 1 }, []],
    ['a changed value', { a: 2 }, { a: 1 }, ['spec.a']],
    ['a missing value', {}, { a: { b: 1 } }, ['spec.a']],
    ['a missing list', {}, { a: [] }, ['spec.a']],
    ['an object instead of a scalar', { a: 1 }, { a: {} }, ['spec.a']],
    ['undefined and null in the desired object', {}, { a: undefined, b: null }, []],
    ['false instead of a missing value', {}, { a: false }, ['spec.a']],
    ['a number instead of its text', { a: '1' }, { a: 1 }, ['spec.a']],
    [
      'lists of scalars in another order',
      { args: ['a', 'b'] },
      { args: ['b', 'a'] },
      ['spec.args[0]', 'spec.args[1]'],
    ],
    ['lists of another length', { args: ['a', 'b'] }, { args: ['a'] }, ['spec.args']],
    [
      'additional fields in list items',
      { rules: [{ a: 1, scope: '*' }] },
      { rules: [{ a: 1 }] },
      [],
    ],
    [
      'equal quantities in other units',
      { requests: { cpu: '500m', memory: '1Gi' } },
      { requests: { cpu: '0.5', memory: '1024Mi' } },
      [],
    ],
    ['equal quantities as text and number', { limits: { cpu: '2' } }, { limits: { cpu: 2 } }, []],
    [
      'different quantities',
      { limits: { cpu: '2' } },
      { limits: { cpu: '2m' } },
      ['spec.limits.cpu'],
    ],
    ['text like a quantity in another field', { a: '500m' }, { a: '0.5' }, ['spec.a']],
  ])('returns the paths for %s', (...[, live, desired, expected]) => {
    expect(differences(object(live), object(desired))).toEqual(expected);
  });

  it.each<[string, object, string[]]>([
    ['no field', {}, []],
    ['a port', { ingress: [{ ports: [{ port: 80 }, { port: 22 }] }] }, ['spec']],
    [
      'a field of a peer',
      { egress: [{ to: [{ podSelector: {}, namespaceSelector: {} }] }] },
      ['spec'],
    ],
    ['a field of the spec', { other: true }, ['spec']],
  ])('returns the spec of a NetworkPolicy to which somebody added %s', (_, added, expected) => {
    const spec = { ingress: [{ ports: [{ port: 80 }] }], egress: [{ to: [{ podSelector: {} }] }] };
    const policy = { ...object(spec), kind: 'NetworkPolicy' };
    expect(differences({ ...policy, spec: { ...spec, ...added } }, policy)).toEqual(expected);
    expect(differences(object({ ...spec, other: true }), object(spec))).toEqual([]);
  });

  it.each<[string, object, string[]]>([
    ['no field', {}, []],
    ['names that narrow it', { resourceNames: ['x'] }, ['rules']],
  ])(
    'returns the rules of a role to one of which another client added %s',
    (_, added, expected) => {
      const rule = { apiGroups: [''], resources: ['services'], verbs: ['get'] };
      for (const kind of ['ClusterRole', 'Role']) {
        const role = { ...object(undefined), kind, rules: [rule] };
        expect(differences({ ...role, rules: [{ ...rule, ...added }] }, role)).toEqual(expected);
      }
    },
  );

  it.each<[string, unknown, unknown, string[]]>([
    [
      'containers',
      [{ name: 'injected' }, { name: 'a', image: 'i', x: 1 }],
      [{ name: 'a', image: 'i' }],
      [],
    ],
    [
      'containers',
      [{ name: 'a', image: 'old' }],
      [{ name: 'a', image: 'new' }],
      ['spec.containers[a].image'],
    ],
    ['env', [{ name: 'B' }, { name: 'A' }], [{ name: 'A' }, { name: 'B' }], []],
    ['volumes', [], [{ name: 'v' }], ['spec.volumes[v]']],
    [
      'volumeMounts',
      [
        { name: 'v', mountPath: '/b' },
        { name: 'v', mountPath: '/a' },
      ],
      [{ name: 'v', mountPath: '/a' }],
      [],
    ],
    [
      'ports',
      [
        { port: 53, protocol: 'UDP' },
        { port: 53, protocol: 'TCP', nodePort: 3 },
      ],
      [{ port: 53 }],
      [],
    ],
    ['ports', [{ port: 53, protocol: 'UDP' }], [{ port: 53 }], ['spec.ports[53]']],
    ['ports', [{ containerPort: 1, protocol: 'TCP' }], [{ containerPort: 1 }], []],
    ['finalizers', ['theirs', 'ours'], ['ours'], []],
    ['finalizers', ['theirs'], ['ours'], ['spec.finalizers']],
  ])('compares items of %s by their merge keys', (field, live, desired, expected) => {
    expect(differences(listed(field, live), listed(field, desired))).toEqual(expected);
  });

  it('compares labels, but not uid and resourceVersion', () => {
    const live = object({}, { labels: { a: '1', theirs: 'x' }, uid: 'u', resourceVersion: '5' });
    expect(differences(live, object({}, { labels: { a: '1' }, resourceVersion: '4' }))).toEqual([]);
    expect(differences(live, object({}, { labels: { a: '2' } }))).toEqual(['metadata.labels.a']);
  });

  it('returns at most five paths', () => {
    const desired = Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`f${i}`, i]));
    expect(differences(object({}), object(desired))).toHaveLength(5);
  });

  it('ignores additional live fields and reports each changed field for arbitrary objects', () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean());
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.dictionary(fc.stringMatching(/^[a-q]{1,4}$/), tie('node')),
      ),
    })).node;
    const spec = fc.dictionary(fc.stringMatching(/^[a-q]{1,4}$/), tree, { minKeys: 1 });
    fc.assert(
      fc.property(spec, (desired) => {
        const more = (value: unknown): unknown =>
          typeof value === 'object' && value !== null
            ? { ...Object.fromEntries(Object.entries(value).map(([k, v]) => [k, more(v)])), zzz: 1 }
            : value;
        expect(differences(object(more(desired)), object(desired))).toEqual([]);
        const changed = { ...desired, [Object.keys(desired)[0] ?? '']: 'zzz changed' };
        expect(differences(object(changed), object(desired))).not.toEqual([]);
        expect(projection(more(desired), desired)).toEqual(desired);
      }),
    );
  });
});

describe('needsApply', () => {
  const desired = object({ a: 1 });
  it.each([
    [
      'no write when hash and fields match',
      { a: 1, b: 2 },
      'h1',
      { needed: false, intentChanged: false, drift: [] },
    ],
    [
      'a changed intent when the hash differs',
      { a: 1 },
      'h0',
      { needed: true, intentChanged: true, drift: [] },
    ],
    [
      'drift when a field differs',
      { a: 2 },
      'h1',
      { needed: true, intentChanged: false, drift: ['spec.a'] },
    ],
    [
      'a changed intent when there is no hash',
      { a: 1 },
      undefined,
      { needed: true, intentChanged: true, drift: [] },
    ],
  ])('reports %s', (...[, spec, hash, expected]) => {
    const annotations = hash === undefined ? {} : { [APPLIED_HASH]: hash };
    expect(needsApply(object(spec, { annotations }), desired, 'h1')).toEqual(expected);
  });
});
