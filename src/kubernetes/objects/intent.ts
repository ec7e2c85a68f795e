import { createHash } from 'node:crypto';
import { APPLIED_HASH, isObject } from './compare.ts';
import type { KubernetesObject } from './object.ts';

/**
 * JSON with sorted keys, so that equal values have equal text. Keys that are array indices come first, in numeric order,
 * as in `JSON.stringify`: hashes of applied objects depend on this order.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const members = sortedKeys(value)
    .filter((key) => value[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${members.join(',')}}`;
}

function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  // An object enumerates its array indices before all other keys.
  const hasIndices = /^\d/.test(keys[0] ?? '');
  keys.sort();
  return hasIndices ? Object.keys(Object.fromEntries(keys.map((key) => [key, null]))) : keys;
}

/** SHA-256 in hexadecimal. */
export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Hash of all fields of an intent (the desired object of server-side apply). */
export function intentHash(desired: KubernetesObject): string {
  return sha256(canonicalJson(desired)).slice(0, 32);
}

/** Adds the hash of the intent as an annotation, in the form that is applied. */
export function withHash(desired: KubernetesObject, hash: string): KubernetesObject {
  const annotations = { ...desired.metadata.annotations, [APPLIED_HASH]: hash };
  return { ...desired, metadata: { ...desired.metadata, annotations } };
}
