/** Orders of objects that do not depend on the order in which an API server or a cache lists them. Pure. */
import type { KubernetesObject } from '../../kubernetes/object.ts';

const compare = (one = '', other = ''): number => (one < other ? -1 : Number(one > other));

/** Orders objects of one kind by name. */
export const byName = (
  { metadata: one }: KubernetesObject,
  { metadata: other }: KubernetesObject,
): number => compare(one.name, other.name) || compare(one.uid, other.uid);

/** Creation of an object, wall clock in milliseconds; 0 if unknown. */
export const createdAt = ({ metadata }: KubernetesObject): number =>
  Date.parse(metadata.creationTimestamp ?? '') || 0;

/** Orders objects by creation, the newest first, and those of the same second by name. */
export const newestFirst = (one: KubernetesObject, other: KubernetesObject): number =>
  createdAt(other) - createdAt(one) || byName(one, other);
