import type { ObjectMeta } from './object.ts';

/** A write of the operator. Its versions identify cached objects that do not contain the write yet. */
export interface OwnWrite {
  /** UID of the object that was written. */
  readonly uid: string | undefined;
  /** resourceVersion of the cached object at the time of the write, if it is known. */
  readonly shown?: string | undefined;
  /** resourceVersion after the write; undefined if the object was gone. */
  readonly written: string | undefined;
}

/**
 * Whether a cached object predates a write, so that the cache is behind. An object that is older than at the time of
 * the write was restored from a backup of its cluster, and does not contain the write at all.
 */
export function predates(
  { uid, resourceVersion }: Pick<ObjectMeta, 'uid' | 'resourceVersion'>,
  { uid: writtenUid, shown, written }: OwnWrite,
): boolean {
  if (written === undefined || written === shown) return false;
  if (resourceVersion !== undefined && resourceVersion === shown) return true;
  if (uid !== writtenUid || isOlderVersion(resourceVersion, shown)) return false;
  return isOlderVersion(resourceVersion, written);
}

const DECIMAL = /^\d+$/;

/**
 * Whether one resourceVersion of an object is older than another one of the same object. Both are decimal numbers that
 * grow with each write (Kubernetes API concepts, "Resource versions"; guaranteed since v1.35, and true for each API
 * server with etcd).
 * @returns false when they cannot be compared; the caller then uses its data as it is, which costs one write at most
 */
export function isOlderVersion(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if (!DECIMAL.test(one) || !DECIMAL.test(other)) return false;
  return isSmaller(withoutZeros(one), withoutZeros(other));
}

const withoutZeros = (decimal: string): string => decimal.replace(/^0+/, '');

/** Compares texts, since a number of any length takes long to parse. */
const isSmaller = (one: string, other: string): boolean =>
  one.length === other.length ? one < other : one.length < other.length;
