import { describe, expect, it } from '@jest/globals';
import type { KarmadaBackup, KarmadaBackupStore } from '../../api/backup/kinds.ts';
import { isOriginRecorded, recordedAccess } from './backup-origin.ts';

const store = (encryption: object): KarmadaBackupStore =>
  ({ spec: { volume: { claimName: 'x' }, encryption } }) as unknown as KarmadaBackupStore;

const encrypted = store({ mode: 'AES256GCM', keySecretRef: { name: 's' }, keyID: 'k2' });
const plain = store({ mode: 'None' });
const manifestSHA256 = 'a1'.repeat(32);

describe('recordedAccess', () => {
  const access = (status: object, of: KarmadaBackupStore, named?: string): object =>
    recordedAccess({ status } as KarmadaBackup, of, named);

  it('uses the recorded key and the recorded manifest', () => {
    const record = { manifestSHA256, keyID: 'k1' };
    expect(access(record, encrypted, 'k3')).toEqual({
      manifestSHA256,
      encryption: { keyID: 'k1' },
    });
    expect(access({ manifestSHA256 }, encrypted)).toEqual({ manifestSHA256, encryption: 'None' });
  });

  it('uses the named key, or that of the store, without a record', () => {
    expect(access({}, encrypted, 'k3')).toEqual({ encryption: { keyID: 'k3' } });
    expect(access({}, encrypted)).toEqual({ encryption: { keyID: 'k2' } });
    expect(access({}, plain, 'k3')).toEqual({ encryption: 'None' });
  });
});

describe('isOriginRecorded', () => {
  const spec = { karmadaRef: { name: 'a' }, storeRef: { name: 'b' } };

  it('is true only for a backup that the operator took', () => {
    expect(isOriginRecorded({ spec, status: { manifestSHA256 } })).toBe(true);
    expect(isOriginRecorded({ spec, status: {} })).toBe(false);
    expect(isOriginRecorded({ spec: { ...spec, folder: 'x' }, status: { manifestSHA256 } })).toBe(
      false,
    );
  });
});
