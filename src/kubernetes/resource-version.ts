const DECIMAL = /^\d+$/;

/**
 * Whether one version of an object is older than another one of the same object: both are decimal numbers that grow with
 * each write (Kubernetes API concepts, "Resource versions"; promised since v1.35 and so in every API server on etcd).
 * @returns false when they cannot be compared: then what is known is taken as it is, which costs a write at most
 */
export function isOlderVersion(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if (!DECIMAL.test(one) || !DECIMAL.test(other)) return false;
  return BigInt(one) < BigInt(other);
}
