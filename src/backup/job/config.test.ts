import { describe, expect, it } from '@jest/globals';
import { jobResultIn } from './config.ts';

const backup = {
  createdAt: '2026-01-01T00:00:00.000Z',
  etcd: {
    version: '3.6.14',
    clusterID: 'c',
    memberID: 'd',
    revision: '77',
    keys: '5',
    hashes: [{ hash: '9', compactRevision: '3' }],
  },
  sizeBytes: 1000,
  storedBytes: 1100,
};
const record = { manifestSHA256: 'a1'.repeat(32), keyID: 'k1', caSHA256: 'b2'.repeat(32) };

describe('jobResultIn', () => {
  it.each<[string, object]>([
    ['an error', { error: 'no' }],
    ['a backup of an earlier version', { backup }],
    ['a backup', { backup: { ...backup, ...record, lockedUntil: '2026-01-02T00:00:00Z' } }],
    ['a proof', { isProven: true, manifestSHA256: record.manifestSHA256 }],
    ['nothing', {}],
  ])('reads the result with %s', (_, result) => {
    expect(jobResultIn(JSON.stringify(result))).toEqual(result);
  });

  it.each<[string, unknown]>([
    ['a command as the fingerprint', { backup: { ...backup, caSHA256: "'; id #" } }],
    ['a path as the key', { backup: { ...backup, keyID: '../x' } }],
    ['an object as the digest', { backup: { ...backup, manifestSHA256: {} } }],
    ['text as a size', { backup: { ...backup, sizeBytes: '1' } }],
    ['no etcd', { backup: { ...backup, etcd: undefined } }],
    [
      'a line feed in a version',
      { backup: { ...backup, etcd: { ...backup.etcd, version: 'a\n' } } },
    ],
    ['a list', []],
    ['a number', 7],
    ['another error', { error: {} }],
  ])('reads no result with %s', (_, result) => {
    expect(jobResultIn(JSON.stringify(result))?.backup).toBeUndefined();
    expect(jobResultIn(JSON.stringify(result))?.error).toBeUndefined();
  });

  it.each([undefined, '', '{', 'null'])('reads no result in %j', (message) => {
    expect(jobResultIn(message)).toBeUndefined();
  });
});
