import type { KubernetesClient } from '../client/client-interface.ts';
import { isNotFound, isStatus } from '../client/errors.ts';
import { groupOf, type KubernetesObject } from '../objects/object.ts';
import { keyOf, keyText } from '../objects/resources.ts';

/** Existing objects that are candidates for pruning. */
export interface Inventory {
  /** Live objects from a cache. */
  readonly live: readonly KubernetesObject[];
  /** True only if `live` contains complete lists of all kinds. */
  readonly complete: boolean;
}

/** Rules that select the objects to delete. */
export interface PruneRules {
  /** Whether the labels show that the operator created the object for this owner. */
  readonly owns: (object: KubernetesObject) => boolean;
  /** Whether to keep an object that is no longer desired, such as a PVC. */
  readonly keep?: (object: KubernetesObject) => boolean;
  /** Whether the operator deletes an object although it has a controller, such as its own workload. */
  readonly deletesControlled?: (object: KubernetesObject) => boolean;
}

/**
 * Pure function that returns the owned objects that are no longer desired. It returns nothing if the inventory is
 * incomplete, so that a failed read never causes a deletion. Objects of other controllers (Pods, ReplicaSets) are
 * excluded, because those controllers delete them.
 */
export function prunable(
  inventory: Inventory,
  desired: readonly KubernetesObject[],
  rules: PruneRules,
): KubernetesObject[] {
  if (!inventory.complete) return [];
  const wanted = new Set(desired.map(identity));
  return inventory.live.filter(
    (object) =>
      !wanted.has(identity(object)) &&
      object.metadata.deletionTimestamp === undefined &&
      (!isControlled(object) || rules.deletesControlled?.(object) === true) &&
      rules.owns(object) &&
      rules.keep?.(object) !== true,
  );
}

/** Group, kind, namespace and name. The API version does not count. */
function identity(object: KubernetesObject): string {
  return JSON.stringify([groupOf(object.apiVersion), object.kind, keyText(keyOf(object))]);
}

function isControlled(object: KubernetesObject): boolean {
  return object.metadata.ownerReferences?.some((owner) => owner.controller === true) ?? false;
}

/** Result of one deletion. `changed` means that the live object is no longer the one to delete. */
export type PruneOutcome = 'deleted' | 'gone' | 'changed';

export interface PruneRequest {
  readonly object: KubernetesObject;
  /** Checked again for the live object if it changed since it was cached. */
  readonly owns: (live: KubernetesObject) => boolean;
}

/**
 * Deletes exactly the cached object, with uid and resourceVersion as preconditions. If the object changed, the
 * operator reads it again and deletes it only if it has the same uid and is still owned.
 * @throws ApiError, NetworkError when a retry may succeed
 */
export async function pruneObject(
  client: KubernetesClient,
  request: PruneRequest,
): Promise<PruneOutcome> {
  const { object, owns } = request;
  const first = await tryDelete(client, object);
  if (first !== 'conflict') return first;
  const live = await client.find(client.typeOf(object), keyOf(object));
  if (live === undefined) return 'gone';
  if (live.metadata.uid !== object.metadata.uid || !owns(live)) return 'changed';
  const second = await tryDelete(client, live);
  return second === 'conflict' ? 'changed' : second;
}

async function tryDelete(
  client: KubernetesClient,
  object: KubernetesObject,
): Promise<'deleted' | 'gone' | 'conflict'> {
  const { uid, resourceVersion } = object.metadata;
  if (uid === undefined || resourceVersion === undefined) {
    throw new Error(
      `${object.kind} ${keyText(keyOf(object))} has no uid or resourceVersion: it was not read from the API server`,
    );
  }
  try {
    await client.delete(client.typeOf(object), keyOf(object), {
      uid,
      resourceVersion,
      propagationPolicy: 'Background',
    });
    return 'deleted';
  } catch (error) {
    if (isNotFound(error)) return 'gone';
    if (isStatus(error, 409)) return 'conflict';
    throw error;
  }
}
