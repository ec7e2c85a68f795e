/**
 * Values that stored objects may have and a later Karmada release does not accept any more. The CRDs of that release reject
 * each further change of such an object, also by Karmada itself. Pure functions.
 */
import { isObject } from '../kubernetes/objects/compare.ts';
import { productVersion } from '../api/versions/versions.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { clusterType, namespacedType, type ResourceType } from '../kubernetes/objects/resources.ts';
import type { BlockedChange } from './blocked-change.ts';

interface Removal {
  /** Minor version of Karmada without the values. */
  readonly minor: number;
  /** Name of the field, at any depth of the spec. */
  readonly field: string;
  /** Removed values, and their replacements. */
  readonly values: Readonly<Record<string, string>>;
}

/** From the changelog of Karmada v1.19. */
const REMOVALS: readonly Removal[] = [
  {
    minor: 19,
    field: 'purgeMode',
    values: { Immediately: 'Directly', Graciously: 'Gracefully' },
  },
];

const policy = 'policy.karmada.io/v1alpha1';
const work = 'work.karmada.io/v1alpha2';

/** Kinds whose CRDs have such fields. Policies come first: karmada-controller-manager derives the bindings from them. */
export const SEARCHED_KINDS: readonly ResourceType[] = [
  namespacedType(policy, 'PropagationPolicy', 'propagationpolicies'),
  clusterType(policy, 'ClusterPropagationPolicy', 'clusterpropagationpolicies'),
  namespacedType(work, 'ResourceBinding', 'resourcebindings'),
  clusterType(work, 'ClusterResourceBinding', 'clusterresourcebindings'),
];

/** A removed value in a stored object. */
export interface RemovedValue {
  readonly kind: string;
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly object: string;
  /** Path of the field, such as `spec.failover.application.purgeMode`. */
  readonly field: string;
  readonly value: string;
  readonly replacement: string;
}

/** Result of the last search. */
export interface RemovedValuesMemo {
  /** Release of the upgrade. */
  readonly to: string;
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly blocked: BlockedChange | undefined;
}

/** Returns the removals that an upgrade reaches; empty if a version is unknown. */
export function removalsBetween(
  from: string | undefined,
  to: string | undefined,
): readonly Removal[] {
  const [before, after] = [from, to].map((tag) => productVersion('karmada', tag ?? ''));
  if (!before || !after) return [];
  return REMOVALS.filter(({ minor }) => before.minor < minor && after.minor >= minor);
}

/** Values that are searched, enough for a message. The user finds the others in the same way. */
export const MAX_VALUES = 20;

/** Levels of a spec that are searched. The fields have fewer than 6. */
const DEPTH = 16;

/** Form of the fields that lead to a removed value. The path becomes a part of the status. */
const FIELD = /^[A-Za-z][A-Za-z0-9]{0,63}$/;

type Found = Pick<RemovedValue, 'field' | 'value' | 'replacement'>;

/** Returns the removed values of an object, up to a number of them. */
export function removedValuesIn(
  object: KubernetesObject,
  removals: readonly Removal[],
): readonly RemovedValue[] {
  const { namespace, name } = object.metadata;
  const owner = {
    kind: object.kind,
    object: namespace === undefined ? name : `${namespace}/${name}`,
  };
  const found: Found[] = [];
  for (const removal of removals)
    collect({ value: object['spec'], path: ['spec'] }, removal, found);
  return found.map((one) => ({ ...owner, ...one }));
}

interface Place {
  readonly value: unknown;
  readonly path: readonly string[];
}

/** The time is proportional to the object, which an administrator of a control plane chooses. */
function collect({ value, path }: Place, removal: Removal, found: Found[]): void {
  if (path.length > DEPTH || found.length >= MAX_VALUES) return;
  if (Array.isArray(value))
    for (const [index, item] of value.entries())
      collect({ value: item, path: [...path, `[${String(index)}]`] }, removal, found);
  if (!isObject(value)) return;
  for (const key of Object.keys(value).filter((name) => FIELD.test(name))) {
    const inner = { value: value[key], path: [...path, `.${key}`] };
    if (key === removal.field) found.push(...removedValue(inner, removal));
    collect(inner, removal, found);
  }
}

function removedValue({ value, path }: Place, { values }: Removal): readonly Found[] {
  if (typeof value !== 'string' || !Object.hasOwn(values, value)) return [];
  const { [value]: replacement = '' } = values;
  return [{ field: path.join(''), value, replacement }];
}

const SHOWN = 5;

/** Returns the blocked upgrade. @param found at least one value; the rest is not counted if there are many */
export function removedValuesBlocked(to: string, found: readonly RemovedValue[]): BlockedChange {
  const shown = found
    .slice(0, SHOWN)
    .map(
      ({ kind, object, field, value, replacement }) =>
        `${kind} ${object}: ${field} is ${value}, set ${replacement}`,
    );
  const more = found.length > SHOWN ? `; and ${found.length - SHOWN} or more others` : '';
  const message = `Karmada ${to} does not accept values that objects of the control plane have (${shown.join('; ')}${more}); change them with kubectl in the control plane, and the operator continues`;
  return { step: 'karmada-controller-manager', reason: 'RemovedValuesBlocked', message };
}

/** Returns the upgrade that waits because the objects cannot be read. */
export function valuesUnread(to: string, error: string): BlockedChange {
  const message = `Karmada ${to}: the operator cannot read the objects of the control plane to look for values that this release does not accept (${error}); the operator retries`;
  return { step: 'karmada-controller-manager', reason: 'RemovedValuesBlocked', message };
}
