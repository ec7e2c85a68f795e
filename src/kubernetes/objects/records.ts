/** Keys and entries of objects whose keys are known to the compiler: `Object.keys` and `Object.fromEntries` forget them. */

/** Names of all fields of an object that has no others. */
export const keysOf = <T extends object>(object: T): readonly (keyof T & string)[] =>
  Object.keys(object) as (keyof T & string)[];

/** Object with these entries, which are complete for their type. */
export const recordOf = <K extends string, V>(entries: Iterable<readonly [K, V]>): Record<K, V> =>
  Object.fromEntries(entries) as Record<K, V>;

/** Object with this field, or without it for an undefined value. */
export const optionalField = <K extends string, V>(
  name: K,
  value: V | undefined,
): { readonly [P in K]?: V } => (value === undefined ? {} : recordOf([[name, value]]));

/** Fields of a thrown value, such as `code` and `cause`; none if it is no object. */
export const fieldsOf = (thrown: unknown): Readonly<Partial<Record<string, unknown>>> =>
  isRecord(thrown) ? thrown : {};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** `code` of an error of Node.js or undici, such as `ENOENT`; undefined for anything else. */
export const errorCode = (error: unknown): unknown => fieldsOf(error)['code'];
