/** Merging of raw JSON objects: what a user gave stays, what is missing is filled in. */

export type Json = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object (not a list, not null). */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Unset as upstream's Go types see it: absent, null or an empty string. */
function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/**
 * `value` with every field of `defaults` that it leaves unset, at any depth of plain objects; lists
 * are never merged. Neither argument is changed.
 */
export function fill(value: unknown, defaults: unknown): unknown {
  if (isUnset(value)) return defaults;
  if (!isObject(value) || !isObject(defaults)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [key, preset] of Object.entries(defaults)) filled[key] = fill(own(value, key), preset);
  return filled;
}

/** The fields of `defaults` that `value` leaves unset, or undefined when there is none. */
export function missing(value: unknown, defaults: unknown): unknown {
  if (isUnset(value)) return defaults;
  if (!isObject(value) || !isObject(defaults)) return undefined;
  const gaps = Object.entries(defaults)
    .map(([key, preset]) => [key, missing(own(value, key), preset)] as const)
    .filter(([, gap]) => gap !== undefined);
  return gaps.length === 0 ? undefined : Object.fromEntries(gaps);
}

/** A field of the object itself, never one of its prototype (`constructor` is a legal label key). */
export function own(value: Json, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
