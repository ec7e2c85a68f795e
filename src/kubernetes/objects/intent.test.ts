import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { APPLIED_HASH } from './compare.ts';
import { canonicalJson, intentHash, sha256, withHash } from './intent.ts';
import type { KubernetesObject } from './object.ts';
import { hashSecretValues, reduceToMetadata, withoutManagedFields } from './cache-transform.ts';

const secret: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', annotations: { a: 'b' }, managedFields: [{}] },
  data: { key: Buffer.from('value').toString('base64'), empty: '' },
};

describe('intentHash and withHash', () => {
  it('returns the same hash for any order of the fields', () => {
    const a = {
      apiVersion: 'v1',
      kind: 'X',
      metadata: { name: 'x' },
      spec: { a: [{ b: 1, c: 2 }], d: 3 },
    };
    const b = {
      spec: { d: 3, a: [{ c: 2, b: 1 }] },
      metadata: { name: 'x' },
      kind: 'X',
      apiVersion: 'v1',
    };
    expect(intentHash(a)).toBe(intentHash(b));
    expect(intentHash(a)).not.toBe(intentHash({ ...a, spec: { a: [{ b: 2, c: 2 }], d: 3 } }));
    expect(canonicalJson(undefined)).toBe('null');
  });

  it('adds the hash to the existing annotations', () => {
    const noted = withHash(secret, 'h');
    expect(noted.metadata.annotations).toEqual({ a: 'b', [APPLIED_HASH]: 'h' });
    expect(secret.metadata.annotations).toEqual({ a: 'b' });
  });
});

/** The definition: keys are sorted, then JSON.stringify puts array indices first. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe('canonicalJson', () => {
  it.each([
    [{ b: 1, 10: 2, a: 3, 9: 4, '08': 5 }, '{"9":4,"10":2,"08":5,"a":3,"b":1}'],
    [{ a: undefined, b: [undefined, null] }, '{"b":[null,null]}'],
  ])('has one order of keys and no undefined members: %j', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('is the JSON of the value with sorted keys', () => {
    const key = fc.oneof(fc.string(), fc.nat().map(String));
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constantFrom(null, undefined)),
        fc.array(tie('value')),
        fc.dictionary(key, tie('value'), { noNullPrototype: true }),
      ),
    })).value;
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(value)).toBe(JSON.stringify(sorted(value)) ?? 'null');
      }),
    );
  });
});

describe('cache transforms', () => {
  it('reduceSecret replaces each value by its hash and is idempotent', () => {
    const reduced = hashSecretValues(secret);
    expect(reduced.data).toEqual({
      key: `sha256:${sha256('value')}`,
      empty: `sha256:${sha256('')}`,
    });
    expect(hashSecretValues(reduced)).toEqual(reduced);
    expect(hashSecretValues(reduceToMetadata(secret))).toEqual(reduceToMetadata(secret));
  });

  it('withoutManagedFields and reduceToMetadata remove managed fields and data', () => {
    expect(withoutManagedFields(secret).metadata).toEqual({ name: 's', annotations: { a: 'b' } });
    const bare = withoutManagedFields(secret);
    expect(withoutManagedFields(bare)).toBe(bare);
    expect(reduceToMetadata(secret)).not.toHaveProperty('data');
  });
});
