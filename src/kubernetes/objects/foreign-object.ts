import type { KubernetesObject } from './object.ts';
import { describe, keyOf, type ResourceType } from './resources.ts';

interface Conflict {
  readonly outcome: 'conflict';
  readonly message: string;
  readonly object: KubernetesObject;
}

/** The object lost the labels of the operator between the cache read and the write. */
export class ForeignObject extends Error {
  readonly object: KubernetesObject;

  constructor(object: KubernetesObject) {
    super('object does not belong to the operator');
    this.object = object;
  }
}

/** Result for an object that does not belong to the operator. */
export function foreign(type: ResourceType, live: KubernetesObject): Conflict {
  const name = describe(type, keyOf(live));
  // The remedy must not be deletion, because the object may hold the only CA key or data of another control plane.
  const message = `${name}: exists, but was not created by this operator, which does not change it; keep running the operator that created it, or use another name`;
  return { outcome: 'conflict', message, object: live };
}
