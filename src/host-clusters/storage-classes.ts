/** Default StorageClass of a host cluster. */
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { Host } from './host.ts';
import { DEFAULT_CLASS } from './reduce-objects.ts';

/**
 * Returns whether the host cluster has a default StorageClass. If the operator must not read them, it assumes so: a PVC
 * that stays pending loses nothing, unlike an emptyDir.
 */
export function hasDefaultStorageClass({ storageClasses }: Pick<Host, 'storageClasses'>): boolean {
  return storageClasses === undefined || storageClasses.cache.list().some(isDefaultClass);
}

/** Returns whether a StorageClass is marked as default. */
export const isDefaultClass = ({ metadata }: KubernetesObject): boolean =>
  DEFAULT_CLASS.some((annotation) => metadata.annotations?.[annotation] === 'true');
