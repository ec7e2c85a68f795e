import { isObject } from './compare.ts';
import { sha256 } from './intent.ts';
import type { KubernetesObject } from './object.ts';

/** A form of an object that is small or free of secrets, for caches; pure. */
export type Reduce = (object: KubernetesObject) => KubernetesObject;

/** Mark of a value that has been replaced by its hash. */
const MARK = 'sha256:';

/** The object without managed fields. */
export function withoutManagedFields(object: KubernetesObject): KubernetesObject {
  if (object.metadata.managedFields === undefined) return object;
  const metadata = { ...object.metadata };
  delete metadata.managedFields;
  return { ...object, metadata };
}

/**
 * A Secret with each value of `data` replaced by `sha256:<hex of the decoded bytes>`. A value that is
 * already replaced stays. Desired and cached Secrets are compared in this form.
 */
export function reduceSecret(object: KubernetesObject): KubernetesObject {
  if (!isObject(object.data)) return object;
  const data = Object.fromEntries(
    Object.entries(object.data).map(([key, value]) => [key, hashed(String(value))]),
  );
  return { ...object, data };
}

/** What stands for a value in a reduced Secret. @param hash SHA-256 of its bytes, in hex */
export const reducedValue = (hash: string): string => `${MARK}${hash}`;

function hashed(value: string): string {
  return value.startsWith(MARK) ? value : reducedValue(sha256(Buffer.from(value, 'base64')));
}

/** Only type and metadata, for kinds of which presence and labels are enough. */
export function reduceToMetadata(object: KubernetesObject): KubernetesObject {
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, metadata };
}
