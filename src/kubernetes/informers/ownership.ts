import type { Priority } from '../fairness/fair-order.ts';
import type { Change } from './informer-options.ts';
import type { Informer } from './informer.ts';
import type { KubernetesObject } from '../objects/object.ts';
import type { WorkQueue } from '../workqueue/queue.ts';
import { keyText } from '../objects/resources.ts';
import type { IndexFunction } from './store.ts';

/**
 * Labels that identify the owner of an object. Owner references cannot cross namespaces or point from a cluster-scoped
 * object to a namespaced one, so the operator uses labels for all objects.
 */
export interface OwnerLabels {
  /** Key of the label with the name of the owner. */
  readonly name: string;
  /** Key of the label with the namespace of the owner. Defaults to the namespace of the object. */
  readonly namespace?: string;
}

/** Name of the index that `ownerIndex` creates. */
export const BY_OWNER = 'owner';

/** `namespace/name` of the owner according to the labels; undefined without owner labels. */
export function ownerOf(object: KubernetesObject, labels: OwnerLabels): string | undefined {
  const given = object.metadata.labels ?? {};
  const name = given[labels.name];
  const stated = labels.namespace === undefined ? undefined : given[labels.namespace];
  const namespace = stated ?? object.metadata.namespace;
  if (name === undefined || name === '' || namespace === undefined) return undefined;
  return keyText({ namespace, name });
}

/** Cache index by owner with the name BY_OWNER. */
export function ownerIndex(labels: OwnerLabels): Readonly<Record<string, IndexFunction>> {
  return {
    [BY_OWNER]: (object) => {
      const owner = ownerOf(object, labels);
      return owner === undefined ? [] : [owner];
    },
  };
}

/** Owners affected by a change: the current one and the previous one. */
export function ownersOf(change: Change, labels: OwnerLabels): string[] {
  const objects =
    change.previous === undefined ? [change.object] : [change.object, change.previous];
  return [...new Set(objects.flatMap((object) => ownerOf(object, labels) ?? []))];
}

/** Priority of the work after a change. No user waits for what a start reads. @param isWorking whether it concerns what worked */
export function priorityOf({ isInitial }: Pick<Change, 'isInitial'>, isWorking = false): Priority {
  if (isInitial === true) return 'low';
  return isWorking ? 'high' : 'normal';
}

/** Adds the owners of each changed object of the informer to the work queue. */
export function enqueueOwners(
  informer: Pick<Informer, 'onChange'>,
  queue: Pick<WorkQueue, 'add'>,
  labels: OwnerLabels,
): void {
  informer.onChange((change) => {
    for (const owner of ownersOf(change, labels)) queue.add(owner, priorityOf(change));
  });
}
