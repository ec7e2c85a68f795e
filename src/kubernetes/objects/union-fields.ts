import { isObject } from './compare.ts';
import type { KubernetesObject } from './object.ts';
import { fieldsOf } from './records.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * A union: only one of its fields may be set, or a discriminator selects the field. With server-side apply, a removed
 * union field leaves its defaulted values behind, and the API server then rejects the object. Such a change needs a
 * full replace (PUT).
 */
interface Union {
  /** Union fields, of which only one is set; '*' means all fields except `common`. */
  readonly members: readonly string[] | '*';
  /** Fields that are allowed with each union field. */
  readonly common?: readonly string[];
  /** Discriminator. Union fields are compared only if it changes. */
  readonly discriminator?: string;
}

const HANDLER: Union = { members: ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] };
const STRATEGY: Union = { members: ['rollingUpdate'], discriminator: 'type' };

/** Unions by the name of the field that contains them. */
const UNIONS: Readonly<Record<string, Union>> = {
  livenessProbe: HANDLER,
  readinessProbe: HANDLER,
  startupProbe: HANDLER,
  preStop: HANDLER,
  postStart: HANDLER,
  strategy: STRATEGY,
  updateStrategy: STRATEGY,
  volumes: { members: '*', common: ['name'] },
  env: { members: ['value', 'valueFrom'] },
  valueFrom: {
    members: ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'],
  },
  clientConfig: { members: ['url', 'service'] },
  conversion: { members: ['webhook'], discriminator: 'strategy' },
  seccompProfile: { members: ['localhostProfile'], discriminator: 'type' },
  appArmorProfile: { members: ['localhostProfile'], discriminator: 'type' },
};

/** Kinds with a union at the top level of their spec. */
const SPEC_UNIONS: Readonly<Record<string, Union>> = {
  PodDisruptionBudget: { members: ['minAvailable', 'maxUnavailable'] },
};

/** Paths of the unions in which `desired` replaces the union field of `live` by another one. */
export function changedUnions(live: KubernetesObject, desired: KubernetesObject): string[] {
  const found: string[] = [];
  const union = SPEC_UNIONS[desired.kind];
  if (union !== undefined && isObject(live.spec) && isObject(desired.spec)) {
    if (leftovers(live.spec, desired.spec, union).length > 0) found.push('spec');
  }
  visit(live, desired, '', found);
  return found;
}

/** Union fields of `live` that must be removed because `desired` sets another one. */
function leftovers(live: Json, desired: Json, union: Union): string[] {
  const { discriminator } = union;
  if (discriminator !== undefined) {
    const same =
      desired[discriminator] === undefined || desired[discriminator] === live[discriminator];
    if (same) return [];
  } else if (membersOf(desired, union).length === 0) {
    return [];
  }
  return membersOf(live, union).filter((member) => desired[member] === undefined);
}

function membersOf(value: Json, union: Union): string[] {
  const { members, common = [] } = union;
  return Object.keys(value).filter(
    (key) =>
      value[key] !== undefined && (members === '*' ? !common.includes(key) : members.includes(key)),
  );
}

function visit(live: unknown, desired: unknown, path: string, found: string[]): void {
  for (const { name, here, desiredState } of children(live, desired)) {
    const union = UNIONS[name];
    const where = `${path}.${name}`;
    for (const [a, b] of pairs(here, desiredState)) {
      if (union !== undefined && leftovers(a, b, union).length > 0) found.push(where.slice(1));
      visit(a, b, where, found);
    }
  }
}

function children(
  live: unknown,
  desired: unknown,
): { name: string; here: unknown; desiredState: unknown }[] {
  if (!isObject(live) || !isObject(desired)) return [];
  return Object.entries(desired).map(([name, desiredState]) => ({
    name,
    here: live[name],
    desiredState,
  }));
}

/** Pairs to compare: the two objects, or the items with equal names of two lists. */
function pairs(live: unknown, desired: unknown): [Json, Json][] {
  if (isObject(live) && isObject(desired)) return [[live, desired]];
  if (!Array.isArray(live) || !Array.isArray(desired)) return [];
  const items = byName(live.filter(isObject));
  return desired.filter(isObject).flatMap((desiredState): [Json, Json][] => {
    const here = desiredState.name === undefined ? undefined : items.get(desiredState.name);
    return here === undefined ? [] : [[here, desiredState]];
  });
}

/** The first item with each name. */
const byName = (items: readonly Json[]): ReadonlyMap<unknown, Json> =>
  new Map(items.toReversed().map((item) => [item.name, item]));

/**
 * Body of the PUT: the live object merged with the desired object, without the replaced union fields. Lists whose items
 * have names are merged by name; other lists are replaced.
 */
export function replaceUnions(live: KubernetesObject, desired: KubernetesObject): KubernetesObject {
  const merged = overlay(live, desired, undefined) as KubernetesObject;
  const union = SPEC_UNIONS[desired.kind];
  if (union === undefined || !isObject(live.spec) || !isObject(desired.spec)) return merged;
  return {
    ...merged,
    spec: without(fieldsOf(merged.spec), leftovers(live.spec, desired.spec, union)),
  };
}

function overlay(live: unknown, desired: unknown, field: string | undefined): unknown {
  if (desired === undefined || desired === null) return live;
  if (Array.isArray(desired)) return overlayList(live, desired, field);
  if (!isObject(desired) || !isObject(live)) return desired;
  const union = field === undefined ? undefined : UNIONS[field];
  const gone = union === undefined ? [] : leftovers(live, desired, union);
  const merged = Object.entries(desired).map(([key, value]) => [
    key,
    overlay(live[key], value, key),
  ]);
  return without({ ...live, ...Object.fromEntries(merged) }, gone);
}

function overlayList(
  live: unknown,
  desired: readonly unknown[],
  field: string | undefined,
): unknown {
  const wanted = desired.filter(isObject).filter(({ name }) => typeof name === 'string');
  if (wanted.length < desired.length || wanted.length === 0 || !Array.isArray(live)) return desired;
  const items = live.filter(isObject);
  const names = new Set(wanted.map(({ name }) => name));
  const present = byName(items);
  return [
    ...wanted.map((item) => overlay(present.get(item.name), item, field)),
    ...items.filter((item) => !names.has(item.name)),
  ];
}

function without(value: Json, keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}
