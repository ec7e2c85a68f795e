/** Difference between the Works of a control plane and what runs in a member cluster: pure. */
import { identity, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { changedFields } from './compare-manifest.ts';
import { isManaged, isWrittenFor, overwrites, type WorkManifest } from './work.ts';

/**
 * What Karmada does with an object as soon as it propagates.
 * - create, change, delete: in the member cluster
 * - blocked: nothing, because it cannot or may not write the object
 * - orphaned: nothing; the object runs in the member cluster, and no Work contains it
 */
export type Effect = 'create' | 'change' | 'delete' | 'blocked' | 'orphaned';

/** An object that the control plane and the member cluster do not agree about. */
export interface ObjectDifference {
  readonly effect: Effect;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Name of its Work, which has the namespace `karmada-es-CLUSTER`. Undefined for an orphaned object. */
  readonly work?: string;
  /** Field paths that Karmada would change; at most five. */
  readonly fields?: readonly string[];
  /** Why Karmada does not write the object. */
  readonly reason?: string;
}

/** Numbers of objects of a member cluster. */
export type DifferenceCounts = Readonly<Record<Effect | 'equal' | 'suspended', number>>;

/** How an object compares: equal, in a suspended Work, or different. */
export type Compared = 'equal' | 'suspended' | ObjectDifference;

/**
 * Compares the object of a Work.
 * @param live object of the member cluster; undefined if it does not exist, null if the member cluster does not serve its kind
 */
export function compareObject(
  manifest: WorkManifest,
  live: KubernetesObject | null | undefined,
): Compared {
  const found = compared(manifest, live);
  return typeof found === 'string' ? found : { ...found, work: manifest.work };
}

function compared(
  { object, action }: WorkManifest,
  live: KubernetesObject | null | undefined,
): Compared {
  if (action === 'suspended') return 'suspended';
  const isRemoved = action !== 'apply';
  if (live === null) return isRemoved ? 'equal' : differing(object, 'blocked', NOT_SERVED);
  if (live === undefined) return isRemoved ? 'equal' : differing(object, 'create');
  if (isRemoved) return removal(object, live, action);
  if (!isManaged(live) && !overwrites(object)) return differing(object, 'blocked', NOT_MANAGED);
  const fields = changedFields(live, object);
  return fields.length === 0 ? 'equal' : differing(object, 'change', { fields });
}

const NOT_SERVED = { reason: 'the member cluster does not serve this kind' };
const NOT_MANAGED = { reason: 'the object has no label karmada.io/managed' };
const RELEASED = { fields: ['metadata.annotations', 'metadata.labels'] };

/** A terminating Work. Karmada deletes only objects that it has written. */
function removal(
  object: KubernetesObject,
  live: KubernetesObject,
  action: 'delete' | 'release',
): Compared {
  if (!isManaged(live)) return 'equal';
  return action === 'delete' ? differing(object, 'delete') : differing(object, 'change', RELEASED);
}

function differing(
  { apiVersion, kind, metadata }: KubernetesObject,
  effect: Effect,
  more: Pick<ObjectDifference, 'fields' | 'reason'> = {},
): ObjectDifference {
  const { name, namespace } = metadata;
  return {
    effect,
    apiVersion,
    kind,
    ...(namespace !== undefined && { namespace }),
    name,
    ...more,
  };
}

/**
 * Finds objects that a Work of this control plane has written, and that no Work contains any more. Karmada keeps them running.
 * @param known identities of the objects of all Works of the member cluster
 */
export function orphanedObjects(
  cluster: string,
  objects: readonly KubernetesObject[],
  known: ReadonlySet<string>,
): readonly ObjectDifference[] {
  return objects
    .filter((object) => isWrittenFor(cluster, object) && !known.has(identity(object)))
    .map((object) => differing(object, 'orphaned'));
}

/** Counts compared objects. */
export function countsOf(results: readonly Compared[]): DifferenceCounts {
  const counts = { create: 0, change: 0, delete: 0, orphaned: 0, blocked: 0 };
  const all = { ...counts, suspended: 0, equal: 0 };
  for (const one of results) all[typeof one === 'string' ? one : one.effect] += 1;
  return all;
}
