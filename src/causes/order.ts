/** Orders of objects that do not depend on the order in which an API server or a cache lists them. Pure. */
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { parseTime } from '../kubernetes/time/time.ts';

const compare = (one = '', other = ''): number => (one < other ? -1 : Number(one > other));

/** Orders objects of one kind by name. */
export const byName = (
  { metadata: one }: KubernetesObject,
  { metadata: other }: KubernetesObject,
): number => compare(one.name, other.name) || compare(one.uid, other.uid);

/** Creation of an object, wall clock in milliseconds; 0 if unknown. */
export const createdAt = ({ metadata }: KubernetesObject): number =>
  parseTime(metadata.creationTimestamp) || 0;

/** Orders objects by creation, the newest first, and those of the same second by name. API servers write all times in UTC. */
export const newestFirst = (one: KubernetesObject, other: KubernetesObject): number =>
  compare(other.metadata.creationTimestamp, one.metadata.creationTimestamp) || byName(one, other);
