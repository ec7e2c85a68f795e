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
  return BigInt(one) < BigInt(other);
}
