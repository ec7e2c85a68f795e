import { describe, expect, it } from '@jest/globals';
import { databaseSize, isAlmostFull, isFragmented, isShrinkable } from './database-size.ts';

const MIB = 1_048_576;

/** @param sizes of file, data and quota in MiB */
const sizes = (size: number, inUse: number, quota = 2_048): ReturnType<typeof databaseSize> =>
  databaseSize({
    dbSize: String(size * MIB),
    dbSizeInUse: String(inUse * MIB),
    dbSizeQuota: String(quota * MIB),
  });

describe('databaseSize', () => {
  it('uses the given quota when etcd reports none', () => {
    const status = { dbSize: '10', dbSizeInUse: '4', dbSizeQuota: '0' };
    expect(databaseSize(status)).toEqual({ size: 10n, free: 6n, quota: 2_147_483_648n });
    expect(databaseSize(status, 12n)).toMatchObject({ quota: 12n });
  });

  it('has no free space when etcd reports more data than file', () => {
    expect(databaseSize({ dbSize: '4', dbSizeInUse: '5', dbSizeQuota: '9' }).free).toBe(0n);
  });

  it.each([
    ['half of a large file is free', sizes(200, 100), [true, false, false]],
    ['less than half is free', sizes(400, 201), [false, false, false]],
    ['less than 100 MiB is free', sizes(198, 99), [false, false, false]],
    ['the file is almost full of data', sizes(1_640, 1_300), [false, true, false]],
    ['a quarter of an almost full file is free', sizes(1_640, 1_230), [false, true, true]],
    ['the file has 80% of the quota', sizes(80, 1, 100), [false, false, false]],
    ['a small file is almost full', sizes(81, 20, 100), [false, true, true]],
  ])('is fragmented, almost full, and shrinkable as expected when %s', (_, database, expected) => {
    expect([isFragmented(database), isAlmostFull(database), isShrinkable(database)]).toEqual(
      expected,
    );
  });
});
