import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseBackupKey } from './key.ts';
import {
  decodeManifest,
  encodeManifest,
  keyIDOf,
  ManifestError,
  type Manifest,
} from './manifest.ts';

const key = parseBackupKey('k1', 'a1'.repeat(32));
const other = parseBackupKey('k1', 'b2'.repeat(32));
const manifest: Manifest = {
  format: 'karmada-backup/v1',
  backup: { namespace: 'team', name: 'now', uid: 'b' },
  karmada: { namespace: 'team', name: 'demo', uid: 'k' },
  createdAt: '2026-01-01T00:00:00.000Z',
  operatorVersion: '1.0.0',
  encryption: { keyID: 'k1', salt: '00'.repeat(32) },
  etcd: {
    ...{ version: '3.6.14', clusterID: 'a', memberID: 'b', revision: '12', keys: '9' },
    hashes: [{ hash: '1', compactRevision: '2' }],
  },
  files: [],
};

describe('manifest', () => {
  it('decodes with its key only', () => {
    const content = encodeManifest(manifest, key);
    expect(decodeManifest(content, key)).toEqual(manifest);
    expect(keyIDOf(content)).toBe('k1');
    expect(() => decodeManifest(content, other)).toThrow(ManifestError);
    expect(() => decodeManifest(content, undefined)).toThrow('the store has no key');
  });

  it('finds each changed, missing or added byte', () => {
    const content = encodeManifest(manifest, key);
    const at = fc.integer({ min: 0, max: content.length - 1 });
    fc.assert(
      fc.property(at, fc.integer({ min: 1, max: 255 }), (index, change) => {
        const changed = Buffer.from(content);
        changed[index] = (changed[index] ?? 0) ^ change;
        expect(() => decodeManifest(changed, key)).toThrow(ManifestError);
        expect(() => decodeManifest(content.subarray(0, index), key)).toThrow(ManifestError);
      }),
    );
    expect(() => decodeManifest(Buffer.concat([content, content]), key)).toThrow(ManifestError);
  });

  it('without encryption is not accepted by a store that requires it', () => {
    const content = encodeManifest({ ...manifest, encryption: 'None' }, undefined);
    expect(decodeManifest(content, undefined).encryption).toBe('None');
    expect(keyIDOf(content)).toBeUndefined();
    expect(() => decodeManifest(content, key)).toThrow('requires encryption');
  });

  it('rejects any other content', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => decodeManifest(Buffer.from(text), key)).toThrow(ManifestError);
      }),
    );
  });
});
