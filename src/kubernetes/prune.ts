import type { KubernetesClient } from './contract.ts';
import { isNotFound, isStatus } from './errors.ts';
import type { KubernetesObject } from './object.ts';
import { keyOf, keyText } from './resources.ts';

/** What is known of the objects that were made earlier. */
export interface Inventory {
  /** Live objects, as a cache holds them. */
  readonly live: readonly KubernetesObject[];
  /** True only when `live` comes from complete lists of every kind concerned. */
  readonly complete: boolean;
}

/** What may go and what must stay. */
export interface PruneRules {
  /** True when the object was made by us, for this owner, by its labels. */
  readonly owns: (object: KubernetesObject) => boolean;
  /** True for what stays although it is no longer wanted, such as volume claims. */
  readonly keep?: (object: KubernetesObject) => boolean;
}

/**
 * Objects that were made earlier and are no longer wanted. Nothing at all when the inventory is not
 * complete: a failed read must never look like a wish to delete. What another controller made from
 * ours (pods, replica sets) is that controller's to delete.
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
      !isControlled(object) &&
      rules.owns(object) &&
      rules.keep?.(object) !== true,
  );
}

/** Group, kind, namespace and name: the same object in another API version is the same object. */
function identity(object: KubernetesObject): string {
  const group = object.apiVersion.includes('/') ? object.apiVersion.split('/')[0] : '';
  return JSON.stringify([group, object.kind, keyText(keyOf(object))]);
}

function isControlled(object: KubernetesObject): boolean {
  return object.metadata.ownerReferences?.some((owner) => owner.controller === true) ?? false;
}

/** What came of one deletion: `changed` means it is not, or no longer, the object that was to go. */
export type PruneOutcome = 'deleted' | 'gone' | 'changed';

export interface PruneRequest {
  readonly object: KubernetesObject;
  /** Asked again of the live object when it has changed since it was seen. */
  readonly owns: (live: KubernetesObject) => boolean;
}

/**
 * Deletes exactly the object that was seen, by uid and resource version. When it has changed meanwhile
 * it is read again and goes only if it is still the same one and still ours.
 * @throws ApiError, NetworkError when another attempt may succeed
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
    throw new Error(`${object.kind} ${keyText(keyOf(object))} has no uid: it was never read`);
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
