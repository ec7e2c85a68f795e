import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BackupPhase, KarmadaBackup } from '../../../api/backup/kinds.ts';
import { expiredBackups } from './retention.ts';

const backupOf = (day: number, phase: BackupPhase, more: object = {}): KarmadaBackup =>
  ({
    metadata: {
      name: `b${String(day)}`,
      creationTimestamp: `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`,
      ...more,
    },
    status: { phase },
  }) as unknown as KarmadaBackup;

const keeping = (keepLast: number) => ({ spec: { retention: { keepLast } } }) as never;
const DELETED = { deletionTimestamp: '2026-02-01T00:00:00Z' };

describe('expiredBackups', () => {
  it.each<readonly [string, number, readonly KarmadaBackup[], readonly string[]]>([
    ['fewer than it keeps', 2, [backupOf(1, 'Verified')], []],
    ['as many as it keeps', 1, [backupOf(1, 'Verified')], []],
    ['one too many', 1, [backupOf(2, 'Verified'), backupOf(1, 'Verified')], ['b1']],
    ['failed ones after the kept one', 1, [backupOf(1, 'Verified'), backupOf(2, 'Failed')], []],
    [
      'failed ones before the kept one',
      1,
      [backupOf(1, 'Failed'), backupOf(2, 'Verified')],
      ['b1'],
    ],
    ['one that runs', 1, [backupOf(1, 'Running'), backupOf(2, 'Verified')], []],
    ['one that is deleted', 1, [backupOf(1, 'Verified', DELETED), backupOf(2, 'Verified')], []],
  ])('with %s', (_, keepLast, backups, expected) =>
    expect(expiredBackups(keeping(keepLast), backups)).toEqual(expected),
  );

  it('deletes nothing without a retention', () =>
    expect(expiredBackups({ spec: {} } as never, [backupOf(1, 'Verified')])).toEqual([]));

  it('always keeps the last verified ones', () => {
    const phases = fc.constantFrom<BackupPhase>('Verified', 'Failed', 'Running', 'Pending');
    fc.assert(
      fc.property(
        fc.array(phases, { maxLength: 28 }),
        fc.integer({ min: 1, max: 5 }),
        (all, keep) => {
          const backups = all.map((phase, index) => backupOf(index + 1, phase));
          const gone = new Set(expiredBackups(keeping(keep), backups));
          const verified = backups
            .filter(({ status }) => status?.phase === 'Verified')
            .slice(-keep);
          expect(verified.filter(({ metadata }) => gone.has(metadata.name))).toEqual([]);
          if (verified.length < keep) expect(gone.size).toBe(0);
        },
      ),
    );
  });
});
