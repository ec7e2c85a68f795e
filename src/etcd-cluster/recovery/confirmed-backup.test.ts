import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EtcdRecord } from '../identity/record.ts';
import {
  backupValue,
  confirmedBackup,
  confirmedData,
  refusedBackup,
  type ConfirmedBackup,
} from './confirmed-backup.ts';
import { confirmedMember } from './confirmed-member.ts';

const BACKUP: ConfirmedBackup = { restore: 'back', clusterID: 'a1', revision: '50' };

describe('confirmedBackup', () => {
  it('reads what backupValue writes', () =>
    expect(confirmedBackup(backupValue(BACKUP))).toEqual(BACKUP));

  it.each(['restore:', 'restore:back/a1', 'restore:/a1/5', 'restore:Back/a1/5', 'restore:a/g/5'])(
    'rejects %p',
    (value) => expect(confirmedBackup(value)).toBeUndefined(),
  );

  it('reads no value in two ways', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const found = [confirmedBackup(text), confirmedMember(text)];
        expect(found.filter((one) => one !== undefined).length).toBeLessThanOrEqual(1);
      }),
    );
    expect(confirmedMember(backupValue(BACKUP))).toBeUndefined();
    expect(confirmedData('etcd-0/a/volume')).toMatchObject({ clusterID: 'a' });
    expect(confirmedData(backupValue(BACKUP))).toEqual(BACKUP);
  });
});

describe('refusedBackup', () => {
  const record = { state: 'born', clusterID: 'a1' } as EtcdRecord;

  it('allows the recorded cluster', () => expect(refusedBackup(BACKUP, record)).toBeUndefined());

  it.each([[{ ...record, clusterID: 'b' }], [undefined]])('refuses %p', (other) =>
    expect(refusedBackup(BACKUP, other)).toContain('KarmadaRestore back'),
  );
});
