/** Merges defaults into raw JSON objects; values of the user stay. */
import { isObject, type Json } from '../../kubernetes/objects/compare.ts';

/** Whether a value is unset, as in the Go types: absent, null or an empty string. */
function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/**
 * Returns `value` with each field of `defaults` that it leaves unset, at any depth of plain objects. Lists are never
 * merged. The function does not modify its arguments.
 */
export function fill<T extends object>(value: T, defaults: unknown): T;
export function fill(value: unknown, defaults: unknown): unknown;
export function fill(value: unknown, defaults: unknown): unknown {
  if (isUnset(value)) return defaults;
  if (!isObject(value) || !isObject(defaults)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [key, preset] of Object.entries(defaults)) filled[key] = fill(own(value, key), preset);
  return filled;
}

/** Returns the fields of `defaults` that `value` leaves unset, or undefined if there are none. */
export function missing(value: unknown, defaults: unknown): unknown {
  if (isUnset(value)) return defaults;
  if (!isObject(value) || !isObject(defaults)) return undefined;
  const gaps = Object.entries(defaults)
    .map(([key, preset]) => [key, missing(own(value, key), preset)] as const)
    .filter(([, gap]) => gap !== undefined);
  return gaps.length === 0 ? undefined : Object.fromEntries(gaps);
}

/** Returns an own property, never one of the prototype (`constructor` is a valid label key). */
export function own(value: Json, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
