import { describe, expect, it } from '@jest/globals';
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
