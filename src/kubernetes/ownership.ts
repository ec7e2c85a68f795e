import type { Change, Informer } from './informer.ts';
import type { KubernetesObject } from './object.ts';
import type { WorkQueue } from './queue.ts';
import { keyText } from './resources.ts';
import type { IndexFunction } from './store.ts';

/**
 * Labels that say whose an object is. Owner references cannot cross namespaces, nor point from a
 * cluster-scoped object to a namespaced one, so labels do it everywhere.
 */
export interface OwnerLabels {
  /** Label with the owner's name. */
  readonly name: string;
  /** Label with the owner's namespace; without it the owner is in the object's own namespace. */
  readonly namespace?: string;
}

/** Name of the index that `ownerIndex` makes. */
export const BY_OWNER = 'owner';

/** `namespace/name` of the owner that the labels name; undefined when they name none. */
export function ownerOf(object: KubernetesObject, labels: OwnerLabels): string | undefined {
  const given = object.metadata.labels ?? {};
  const name = given[labels.name];
  const stated = labels.namespace === undefined ? undefined : given[labels.namespace];
  const namespace = stated ?? object.metadata.namespace;
  if (name === undefined || name === '' || namespace === undefined) return undefined;
  return keyText({ namespace, name });
}

/** Index of a cache by owner, under the name BY_OWNER. */
export function ownerIndex(labels: OwnerLabels): Readonly<Record<string, IndexFunction>> {
  return {
    [BY_OWNER]: (object) => {
      const owner = ownerOf(object, labels);
      return owner === undefined ? [] : [owner];
    },
  };
}

/** Owners that a change concerns: the one before and the one after. */
export function ownersOf(change: Change, labels: OwnerLabels): string[] {
  const objects =
    change.previous === undefined ? [change.object] : [change.object, change.previous];
  return [...new Set(objects.flatMap((object) => ownerOf(object, labels) ?? []))];
}

/** Asks for work on the owners of whatever changes in the informer. */
export function enqueueOwners(informer: Informer, queue: WorkQueue, labels: OwnerLabels): void {
  informer.onChange((change) => {
    for (const owner of ownersOf(change, labels)) queue.add(owner);
  });
}
