import { isObject } from './compare.ts';
import { sha256 } from './intent.ts';
import type { KubernetesObject, ObjectMeta } from './object.ts';

/** Cache transform: a pure function that removes large or secret fields of an object. */
export type CacheTransform<T extends KubernetesObject = KubernetesObject> = (object: T) => T;

/** Prefix of a value that was replaced by its hash. */
const MARK = 'sha256:';

/** Returns the object without managed fields. */
export function withoutManagedFields<T extends KubernetesObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  return { ...object, metadata: withoutFields(object.metadata) };
}

/** V8 keeps an object from which a property is deleted as a hash table of 0.4 KiB. */
const withoutFields = ({ managedFields: _, ...metadata }: ObjectMeta): ObjectMeta => metadata;

/**
 * Replaces each value in `data` of a Secret by `sha256:<hex of the decoded bytes>`, so that the cache holds no secret
 * data. Values that are already replaced stay. The operator compares desired and cached Secrets in this form.
 */
export function hashSecretValues<T extends KubernetesObject>(object: T): T {
  if (!isObject(object['data'])) return object;
  const data = Object.fromEntries(
    Object.entries(object['data']).map(([key, value]) => [key, hashed(String(value))]),
  );
  return { ...object, data };
}

/** Replacement of a value in a transformed Secret. @param hash SHA-256 of the value in hexadecimal */
export const reducedValue = (hash: string): string => `${MARK}${hash}`;

function hashed(value: string): string {
  return value.startsWith(MARK) ? value : reducedValue(sha256(Buffer.from(value, 'base64')));
}

/** Keeps only type and metadata, for kinds of which the operator only needs existence and labels. */
export function reduceToMetadata(object: KubernetesObject): KubernetesObject {
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, metadata };
}
