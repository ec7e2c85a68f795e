/** Sizes of the database of one etcd member, and what they call for: pure. Sizes are in bytes. */
import type { EtcdMemberStatus } from './member-status.ts';

/** Quota of an etcd without the flag. */
export const DEFAULT_QUOTA = 2_147_483_648n;

/** Free space from which a database is fragmented: at least half of the file, and this size. */
const FREE_AT_LEAST = 104_857_600n;

/** Part of the quota from which a database counts as almost full, in percent. */
const ALMOST_FULL_PERCENT = 80n;

/** Free part of an almost full database that makes a defragmentation worthwhile, in percent. */
const WORTHWHILE_PERCENT = 25n;

type Status = Pick<EtcdMemberStatus, 'dbSize' | 'dbSizeInUse' | 'dbSizeQuota'>;

export interface DatabaseSize {
  readonly size: bigint;
  /** Part of the file without data, which only a defragmentation returns to the volume. */
  readonly free: bigint;
  readonly quota: bigint;
}

/**
 * Reads the sizes of a status.
 * @param quota of an etcd that reports none (etcd 3.5 and earlier)
 */
export function databaseSize(
  { dbSize, dbSizeInUse, dbSizeQuota }: Status,
  quota = DEFAULT_QUOTA,
): DatabaseSize {
  const reported = BigInt(dbSizeQuota);
  const size = BigInt(dbSize);
  const inUse = BigInt(dbSizeInUse);
  // etcd reports both sizes at slightly different times.
  const free = size > inUse ? size - inUse : 0n;
  return { size, free, quota: reported > 0n ? reported : quota };
}

/** Whether the database uses most of its quota, so that etcd may soon reject writes. */
export const isAlmostFull = ({ size, quota }: DatabaseSize): boolean =>
  size * 100n > quota * ALMOST_FULL_PERCENT;

/** Whether a defragmentation makes an almost full database notably smaller. */
export const isShrinkable = (database: DatabaseSize): boolean =>
  isAlmostFull(database) && database.free * 100n >= database.size * WORTHWHILE_PERCENT;

/** Whether most of the file is free space. */
export const isFragmented = ({ size, free }: DatabaseSize): boolean =>
  free >= FREE_AT_LEAST && free * 2n >= size;
