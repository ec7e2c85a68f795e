/**
 * Values that stored objects may have and a later Karmada release does not accept any more. The CRDs of that release reject
 * each further change of such an object, also by Karmada itself. Pure functions.
 */
import { isObject } from '../kubernetes/compare.ts';
import { productVersion } from '../api/versions.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { clusterType, namespacedType, type ResourceType } from '../kubernetes/resources.ts';
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

/** Returns the removed values of an object. */
export function removedValuesIn(
  object: KubernetesObject,
  removals: readonly Removal[],
): readonly RemovedValue[] {
  const { namespace, name } = object.metadata;
  const owner = {
    kind: object.kind,
    object: namespace === undefined ? name : `${namespace}/${name}`,
  };
  return removals.flatMap((removal) =>
    fieldsIn(object['spec'], 'spec', removal).map((found) => ({ ...owner, ...found })),
  );
}

function fieldsIn(
  value: unknown,
  path: string,
  removal: Removal,
): readonly Pick<RemovedValue, 'field' | 'value' | 'replacement'>[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => fieldsIn(item, `${path}[${index}]`, removal));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    const field = `${path}.${key}`;
    if (key !== removal.field || typeof part !== 'string') return fieldsIn(part, field, removal);
    const replacement = Object.hasOwn(removal.values, part) ? removal.values[part] : undefined;
    return replacement === undefined ? [] : [{ field, value: part, replacement }];
  });
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
