import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseBackupKey } from './key.ts';
import { decodeManifest, encodeManifest, ManifestError } from './manifest.ts';
import type { BackupFile, Manifest } from './manifest-type.ts';

const key = parseBackupKey('k1', 'a1'.repeat(32));
const other = parseBackupKey('k1', 'b2'.repeat(32));
const fileOf = (name: BackupFile['name']): BackupFile => ({
  name,
  sizeBytes: 1,
  sha256: 'a0'.repeat(32),
  storedBytes: 2,
  storedSha256: 'b0'.repeat(32),
});
const manifest: Manifest = {
  format: 'karmada-backup/v1',
  backup: { namespace: 'team', name: 'now', uid: 'b' },
  karmada: { namespace: 'team', name: 'demo', uid: 'k' },
  createdAt: '2026-01-01T00:00:00.000Z',
  operatorVersion: '1.0.0',
  encryption: { keyID: 'k1', salt: '00'.repeat(32) },
  etcd: {
    version: '3.6.14',
    clusterID: 'a',
    memberID: 'b',
    revision: '12',
    keys: '9',
    hashes: [{ hash: '1', compactRevision: '2' }],
  },
  files: [fileOf('etcd.snapshot'), fileOf('objects.json')],
};

describe('manifest', () => {
  it('decodes with its key only', () => {
    const content = encodeManifest(manifest, key);
    expect(decodeManifest(content, key)).toEqual(manifest);
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
    expect(() => decodeManifest(content, key)).toThrow('requires encryption');
  });

  it('rejects any other content', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => decodeManifest(Buffer.from(text), key)).toThrow(ManifestError);
      }),
    );
  });

  it.each<[string, object]>([
    ['a list of other files', { files: [fileOf('etcd.snapshot'), fileOf('etcd.snapshot')] }],
    ['no file', { files: [] }],
    ['a file with another name', { files: [fileOf('etcd.snapshot'), { name: '../x' }] }],
    ['a revision that is no number', { etcd: { ...manifest.etcd, revision: '1/x' } }],
    ['an ID that is not hexadecimal', { etcd: { ...manifest.etcd, clusterID: 'z' } }],
    ['a version with a control character', { etcd: { ...manifest.etcd, version: '3\u001b[2J' } }],
    ['a name with a line feed', { karmada: { ...manifest.karmada, name: 'a\nb' } }],
    ['no time', { createdAt: 'yesterday' }],
    ['no identity', { backup: undefined }],
  ])('is not accepted with %s, with and without encryption', (_, change) => {
    for (const [encryption, used] of [
      [manifest.encryption, key],
      ['None', undefined],
    ] as const) {
      const content = encodeManifest({ ...manifest, encryption, ...change } as Manifest, used);
      expect(() => decodeManifest(content, used)).toThrow('the manifest has an invalid field');
    }
  });

  it('may be that of an etcd that was never compacted', () => {
    const hashes = [{ hash: '1', compactRevision: '-1' }];
    const content = encodeManifest({ ...manifest, etcd: { ...manifest.etcd, hashes } }, key);
    expect(decodeManifest(content, key).etcd.hashes).toEqual(hashes);
  });

  it('may have fields that this version does not know', () => {
    const content = encodeManifest({ ...manifest, later: true } as Manifest, key);
    expect(decodeManifest(content, key)).toMatchObject({ later: true });
  });
});
