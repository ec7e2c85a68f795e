/** JSON merge patches (RFC 7396). */

import { isObject, type Json } from './compare.ts';

/**
 * Returns a merge patch that changes one object into another: all fields of the second one, and null for each field, at
 * any depth, that only the first one has. A field that a patch omits keeps its value (RFC 7396, section 2).
 * @param before JSON object, which may be older than the one that is patched
 * @param after JSON object without null values; fields that are undefined count as absent
 */
export function mergePatch(before: Json, after: Json): Json {
  const isGone = (field: string): boolean =>
    before[field] !== undefined && own(after, field) === undefined;
  const gone = Object.keys(before).filter(isGone);
  const kept = Object.entries(after).filter(([, value]) => value !== undefined);
  return Object.fromEntries([
    ...gone.map((field) => [field, null] as const),
    ...kept.map(([field, value]) => [field, fieldPatch(own(before, field), value)] as const),
  ]);
}

/** A label key such as `constructor` is no field of the prototype. */
const own = (value: Json, field: string): unknown =>
  Object.hasOwn(value, field) ? value[field] : undefined;

const fieldPatch = (before: unknown, after: unknown): unknown =>
  isObject(after) ? mergePatch(isObject(before) ? before : {}, after) : after;
