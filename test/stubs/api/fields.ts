/**
 * Sets of fields in the form of `FieldsV1`: trees with the keys `f:<field>`, `k:<keys of a list item>` and `v:<value of a
 * set>`. A leaf is an empty tree, `.` means the item itself. Pure functions.
 */
import { isEqual, isRecord, type Json } from './json.ts';

export interface Fields {
  readonly [key: string]: Fields;
}

/** Keys of lists that the API server merges by key, by the name of their field. All other lists are atomic. */
const LIST_KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  volumes: ['name'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  env: ['name'],
  imagePullSecrets: ['name'],
  hostAliases: ['ip'],
  webhooks: ['name'],
  matchConditions: ['name'],
  resourceClaims: ['name'],
  secrets: ['name'],
  ownerReferences: ['uid'],
  conditions: ['type'],
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
};
const PORTS: readonly (readonly string[])[] = [
  ['containerPort', 'protocol'],
  ['port', 'protocol'],
];
const DEFAULTS: Json = { protocol: 'TCP' };
const SETS: ReadonlySet<string> = new Set(['finalizers']);
/** Maps that are atomic. */
const ATOMIC: ReadonlySet<string> = new Set(['selector', 'resourceFieldRef', 'secretKeyRef']);

/** Keys that identify the items of a list; undefined for an atomic list. */
function keysOf(field: string, list: readonly unknown[]): readonly string[] | undefined {
  if (list.length === 0 || !list.every(isRecord)) return undefined;
  if (field === 'ports') {
    return PORTS.find(([key = '']) => list.every((item) => (item as Json)[key] !== undefined));
  }
  return LIST_KEYS[field];
}

/** Key of a list item in a tree. */
function itemKey(item: Json, keys: readonly string[]): string {
  const sorted = [...keys].sort();
  return `k:${JSON.stringify(Object.fromEntries(sorted.map((key) => [key, item[key] ?? DEFAULTS[key]])))}`;
}

/** Fields of a value. @param field name of the nearest field, which tells how lists are merged */
export function fieldsOf(value: unknown, field = ''): Fields {
  if (Array.isArray(value)) {
    if (SETS.has(field)) {
      return Object.fromEntries(value.map((item) => [`v:${JSON.stringify(item)}`, {}]));
    }
    const keys = keysOf(field, value);
    if (keys === undefined) return {};
    return Object.fromEntries(
      (value as readonly Json[]).map((item) => [
        itemKey(item, keys),
        { '.': {}, ...fieldsOf(item) },
      ]),
    );
  }
  if (!isRecord(value) || ATOMIC.has(field)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [`f:${key}`, fieldsOf(item, key)]),
  );
}

const isLeaf = (fields: Fields): boolean => Object.keys(fields).length === 0;

export const isEmpty = isLeaf;

export function union(a: Fields, b: Fields): Fields {
  const merged: Record<string, Fields> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const known = merged[key];
    merged[key] = known === undefined ? value : union(known, value);
  }
  return merged;
}

/** Fields of `a` that `b` does not contain. A leaf of `b` covers the whole branch of `a`. */
export function difference(a: Fields, b: Fields): Fields {
  const left: Record<string, Fields> = {};
  for (const [key, value] of Object.entries(a)) {
    const other = b[key];
    if (other === undefined) left[key] = value;
    else if (!isLeaf(value) && !isLeaf(other)) {
      const rest = difference(value, other);
      if (!isLeaf(rest)) left[key] = rest;
    }
  }
  return left;
}

/** Fields that both sets contain. */
export function intersection(a: Fields, b: Fields): Fields {
  const both: Record<string, Fields> = {};
  for (const [key, value] of Object.entries(a)) {
    const other = b[key];
    if (other === undefined) continue;
    if (isLeaf(value) || isLeaf(other)) both[key] = isLeaf(value) ? value : other;
    else {
      const inner = intersection(value, other);
      if (!isLeaf(inner)) both[key] = inner;
    }
  }
  return both;
}

/** Fields whose values differ between two values, including those that only `after` has. */
export function changedFields(before: unknown, after: unknown, field = ''): Fields | undefined {
  if (before === after) return undefined;
  if (isRecord(before) && isRecord(after) && !ATOMIC.has(field)) {
    return changedEntries(
      Object.keys(after).map((key) => [`f:${key}`, changedFields(before[key], after[key], key)]),
    );
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const keys = keysOf(field, after);
    if (keys !== undefined)
      return changedItems(before as readonly Json[], after as readonly Json[], keys);
  }
  return isEqual(before, after) ? undefined : fieldsOf(after, field);
}

function changedItems(
  before: readonly Json[],
  after: readonly Json[],
  keys: readonly string[],
): Fields | undefined {
  const known = new Map(before.map((item) => [itemKey(item, keys), item]));
  return changedEntries(
    after.map((item) => {
      const key = itemKey(item, keys);
      const other = known.get(key);
      const all = { '.': {}, ...fieldsOf(item) };
      return [key, other === undefined ? all : changedFields(other, item)];
    }),
  );
}

function changedEntries(
  entries: readonly (readonly [string, Fields | undefined])[],
): Fields | undefined {
  const changed = entries.filter((entry): entry is [string, Fields] => entry[1] !== undefined);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

/** Whether a value has the field that the path leads to. */
export function existing(fields: Fields, value: unknown, field = ''): Fields {
  if (isLeaf(fields)) return fields;
  const found: Record<string, Fields> = {};
  for (const [key, inner] of Object.entries(fields)) {
    if (key === '.') found[key] = inner;
    const child = childOf(value, key, field);
    if (child === undefined) continue;
    const rest = existing(inner, child, key.startsWith('f:') ? key.slice(2) : '');
    if (isLeaf(inner) || !isLeaf(rest)) found[key] = rest;
  }
  return found;
}

/** Value that a key of a tree leads to. @param field name of the field with this value */
function childOf(value: unknown, key: string, field: string): unknown {
  if (key.startsWith('f:')) return isRecord(value) ? value[key.slice(2)] : undefined;
  if (!Array.isArray(value)) return undefined;
  if (key.startsWith('v:')) return value.includes(JSON.parse(key.slice(2))) ? true : undefined;
  const keys = keysOf(field, value);
  return keys && (value as readonly Json[]).find((item) => itemKey(item, keys) === key);
}

/** The part of a value that some fields are, with lists in their order. @param field name of the field with this value */
export function projected(value: unknown, fields: Fields, field = ''): unknown {
  if (isLeaf(fields)) return value;
  const names = Object.keys(fields).filter((key) => key !== '.');
  if (Array.isArray(value)) {
    const position = (key: string): number =>
      value.indexOf(key.startsWith('v:') ? JSON.parse(key.slice(2)) : childOf(value, key, field));
    return names
      .toSorted((a, b) => position(a) - position(b))
      .map((key) =>
        key.startsWith('v:')
          ? JSON.parse(key.slice(2))
          : {
              ...keysIn(key),
              ...(projected(childOf(value, key, field), fields[key] ?? {}) as object),
            },
      );
  }
  return Object.fromEntries(
    names.map((key) => {
      const name = key.slice(2);
      return [name, projected(childOf(value, key, field), fields[key] ?? {}, name)];
    }),
  );
}

/** Keys of a list item, such as `k:{"name":"a"}`. */
const keysIn = (key: string): Json => JSON.parse(key.slice(2)) as Json;

/** Value without some fields. Empty objects and lists that this leaves are removed as well. */
export function withoutFields(value: unknown, fields: Fields, field = ''): unknown {
  if (isLeaf(fields)) return undefined;
  if (Array.isArray(value)) return withoutItems(value as readonly unknown[], fields, field);
  if (!isRecord(value)) return value;
  const left = Object.entries(value).flatMap(([key, item]) => {
    const removed = fields[`f:${key}`];
    if (removed === undefined) return [[key, item]];
    const rest = withoutFields(item, removed, key);
    return rest === undefined ? [] : [[key, rest]];
  });
  return left.length === 0 ? undefined : (Object.fromEntries(left) as Json);
}

function withoutItems(list: readonly unknown[], fields: Fields, field: string): unknown {
  const keys = keysOf(field, list);
  const left = list.flatMap((item): unknown[] => {
    const key = keys === undefined ? `v:${JSON.stringify(item)}` : itemKey(item as Json, keys);
    const removed = fields[key];
    if (removed === undefined) return [item];
    if (isLeaf(removed) || removed['.'] !== undefined) return [];
    return [withoutFields(item, removed)];
  });
  return left.length === 0 ? undefined : left;
}

/** Merges an applied value into a live one. */
export function mergeApplied(live: unknown, applied: unknown, field = ''): unknown {
  if (Array.isArray(applied) && Array.isArray(live)) return mergeLists(live, applied, field);
  if (!isRecord(applied) || !isRecord(live) || ATOMIC.has(field)) return applied;
  const merged: Record<string, unknown> = { ...live };
  for (const [key, value] of Object.entries(applied)) {
    merged[key] = mergeApplied(live[key], value, key);
  }
  return merged;
}

function mergeLists(live: readonly unknown[], applied: readonly unknown[], field: string): unknown {
  if (SETS.has(field)) return [...new Set([...live, ...applied])];
  const keys = keysOf(field, applied);
  if (keys === undefined) return applied;
  const items = live as readonly Json[];
  const known = new Map(items.map((item) => [itemKey(item, keys), item]));
  const mine = new Set((applied as readonly Json[]).map((item) => itemKey(item, keys)));
  return [
    ...(applied as readonly Json[]).map((item) =>
      mergeApplied(known.get(itemKey(item, keys)), item),
    ),
    ...items.filter((item) => !mine.has(itemKey(item, keys))),
  ];
}
