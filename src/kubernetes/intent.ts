import { createHash } from 'node:crypto';
import { APPLIED_HASH, isObject } from './compare.ts';
import type { KubernetesObject } from './object.ts';

/** JSON with sorted keys, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? 'null';
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
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
