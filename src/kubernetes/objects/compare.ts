import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject } from './object.ts';
import { parseQuantity } from './quantity.ts';

/** Annotation of an object with the hash of the intent that the operator applied last. */
export const APPLIED_HASH = 'operator.karmada.io/applied-hash';

/** Lists that the API server merges by key: field name to the keys that identify an item. */
const MERGE_KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  volumes: ['name'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  env: ['name'],
  imagePullSecrets: ['name'],
  hostAliases: ['ip'],
  resourceClaims: ['name'],
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
  webhooks: ['name'],
  matchConditions: ['name'],
  secrets: ['name'],
  ownerReferences: ['uid'],
  ports: ['name', 'containerPort', 'port', 'protocol'],
};

/** Lists that are sets: order and additional items are no difference. */
const SETS: ReadonlySet<string> = new Set(['finalizers']);

/** Fields with quantities or maps of quantities, in which 0.5 equals 500m. */
const QUANTITIES: ReadonlySet<string> = new Set([
  'limits',
  'requests',
  'hard',
  'overhead',
  'sizeLimit',
]);

/** Defaults that the API server uses for omitted merge keys. */
const KEY_DEFAULTS: Readonly<Record<string, unknown>> = { protocol: 'TCP' };

/** Metadata fields that are not compared: the API server sets them, or they only identify the live object. */
const IDENTITY: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'deletionTimestamp',
]);

export type Json = Readonly<Record<string, unknown>>;

/** Result of comparing a live object with the desired object. */
export interface Comparison {
  /** Whether a write is necessary. */
  readonly needed: boolean;
  /** Whether the intent differs from the last applied one. */
  readonly intentChanged: boolean;
  /** Field paths with another value in the live object, such as `spec.replicas`. */
  readonly drift: readonly string[];
}

/**
 * Decides whether `desired` must be applied: if its hash differs from the annotation of the live object, or if the live
 * object does not contain it. Additional fields of the live object belong to other managers and are ignored.
 * @param hash intent hash of `desired`, see intentHash
 */
export function needsApply(
  live: KubernetesObject,
  desired: KubernetesObject,
  hash: string,
): Comparison {
  const intentChanged = live.metadata.annotations?.[APPLIED_HASH] !== hash;
  const drift = differences(live, desired);
  return { needed: intentChanged || drift.length > 0, intentChanged, drift };
}

/** Field paths at which `live` does not contain `desired`; at most the first five. */
export function differences(live: KubernetesObject, desired: KubernetesObject): string[] {
  const found: string[] = [];
  const desiredState = { ...desired, metadata: withoutIdentity(desired.metadata) };
  compare(live, desiredState, { path: '', field: '', quantity: false, found });
  const exact = EXACT[desired.kind];
  if (exact !== undefined && found.length === 0 && !isDeepStrictEqual(live[exact], desired[exact]))
    found.push(exact);
  return found;
}

/**
 * Fields in which no other manager has fields, by kind: another peer of a NetworkPolicy would allow more, and `resourceNames` in a rule of
 * a role less than the operator wants.
 */
const EXACT: Readonly<Partial<Record<string, string>>> = {
  NetworkPolicy: 'spec',
  ClusterRole: 'rules',
  Role: 'rules',
};

/** Values of `live` at the paths of `desired`: the desired object as the API server stored it. */
export function projection(live: unknown, desired: unknown): unknown {
  if (isObject(live) && isObject(desired)) {
    return Object.fromEntries(
      Object.keys(desired)
        .sort()
        .map((key) => [key, projection(live[key], desired[key])]),
    );
  }
  return live;
}

const MAX_PATHS = 5;

interface Place {
  readonly path: string;
  /** Name of the nearest field, which selects the list rules. */
  readonly field: string;
  readonly quantity: boolean;
  readonly found: string[];
}

function compare(live: unknown, desired: unknown, place: Place): void {
  if (place.found.length >= MAX_PATHS || desired === undefined || desired === null) return;
  if (Array.isArray(desired)) compareLists(live, desired, place);
  else if (isObject(desired)) compareObjects(live, desired, place);
  else if (!sameScalar(live, desired, place.quantity)) place.found.push(place.path);
}

function compareObjects(live: unknown, desired: Json, place: Place): void {
  if (!isObject(live)) {
    place.found.push(place.path);
    return;
  }
  for (const [key, value] of Object.entries(desired)) {
    compare(live[key], value, {
      path: place.path === '' ? key : `${place.path}.${key}`,
      field: key,
      quantity: place.quantity || QUANTITIES.has(key),
      found: place.found,
    });
  }
}

function compareLists(live: unknown, desired: readonly unknown[], place: Place): void {
  if (!Array.isArray(live)) {
    place.found.push(place.path);
    return;
  }
  if (SETS.has(place.field)) {
    if (!desired.every((item) => live.includes(item))) place.found.push(place.path);
    return;
  }
  const keys = MERGE_KEYS[place.field];
  if (keys !== undefined && desired.every(isObject)) {
    compareKeyed(live, desired, { ...place, keys });
    return;
  }
  if (live.length !== desired.length) place.found.push(place.path);
  else desired.forEach((item, index) => compare(live[index], item, at(place, String(index))));
}

function compareKeyed(
  live: readonly unknown[],
  desired: readonly Json[],
  place: Place & { readonly keys: readonly string[] },
): void {
  const find = finderIn(live.filter(isObject), place.keys);
  for (const item of desired) {
    if (place.found.length >= MAX_PATHS) return;
    const other = find(item);
    const name = String(item[place.keys.find((key) => item[key] !== undefined) ?? ''] ?? '?');
    if (other === undefined) place.found.push(`${place.path}[${name}]`);
    else compare(other, item, at(place, name));
  }
}

function at(place: Place, index: string): Place {
  return { ...place, path: `${place.path}[${index}]` };
}

/**
 * Returns a function that finds the first live item with the same values in all merge keys that are set or have a default. It indexes the
 * items, because the spec of a Karmada may have thousands, such as volumes.
 */
function finderIn(
  live: readonly Json[],
  keys: readonly string[],
): (desired: Json) => Json | undefined {
  const indexes = new Map<string, ReadonlyMap<string, Json>>();
  return (desired) => {
    const given = keys.filter((key) => keyOf(desired, key) !== undefined);
    const index = indexes.get(given.join()) ?? indexBy(live, given);
    indexes.set(given.join(), index);
    return index.get(identityIn(desired, given));
  };
}

/** The first item with each combination of values of these keys. */
const indexBy = (live: readonly Json[], keys: readonly string[]): ReadonlyMap<string, Json> =>
  new Map(live.toReversed().map((item) => [identityIn(item, keys), item]));

const identityIn = (item: Json, keys: readonly string[]): string =>
  JSON.stringify(keys.map((key) => keyOf(item, key)));

const keyOf = (item: Json, key: string): unknown => item[key] ?? KEY_DEFAULTS[key];

function sameScalar(live: unknown, desired: unknown, quantity: boolean): boolean {
  if (live === desired) return true;
  if (!quantity) return false;
  const [a, b] = [parseQuantity(live), parseQuantity(desired)];
  return a !== undefined && a === b;
}

function withoutIdentity(metadata: KubernetesObject['metadata']): Json {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !IDENTITY.has(key)));
}

/** True for a JSON object. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
