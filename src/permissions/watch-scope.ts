/** What the operator watches in the management cluster, and the permissions that this needs (pure functions). */
import type { NeededPermission } from './need.ts';
import { permissionsOf } from './needed.ts';

/**
 * Resources that no Role in a namespace grants completely: the operator reads them with a ClusterRole. Each is optional
 * if the operator watches single namespaces.
 */
export const CLUSTER_RESOURCES = [
  'customresourcedefinitions',
  'leases',
  'namespaces',
  'nodes',
  'persistentvolumes',
  'storageclasses',
] as const;
export type ClusterResource = (typeof CLUSTER_RESOURCES)[number];

/** Limits the operator to single namespaces of the management cluster. */
export interface WatchScope {
  readonly namespaces: readonly string[];
  /** Cluster resources that the operator must not read. */
  readonly without: readonly ClusterResource[];
}

/** Whether the operator may read a cluster resource. */
export const reads = (scope: WatchScope | undefined, resource: ClusterResource): boolean =>
  scope?.without.includes(resource) !== true;

/** Whether only a ClusterRole grants it. A Role can grant to get its own Namespace. */
const isOfCluster = ({ resource, verb }: NeededPermission): boolean =>
  CLUSTER_RESOURCES.some((one) => one === resource) &&
  !(resource === 'namespaces' && verb === 'get');

export interface ScopedPermissions {
  readonly needed: readonly NeededPermission[];
  readonly neededInNamespaces: readonly NeededPermission[];
}

/**
 * Permissions in the management cluster.
 * @param scope undefined if the operator watches all namespaces
 */
export function scopedPermissions(
  scope: WatchScope | undefined,
  all: readonly NeededPermission[] = permissionsOf('operator'),
): ScopedPermissions {
  if (scope === undefined) return { needed: all, neededInNamespaces: [] };
  const without: readonly string[] = scope.without;
  return {
    needed: all
      .filter((right) => isOfCluster(right) && !without.includes(right.resource))
      .flatMap((right) =>
        right.resource === 'namespaces'
          ? scope.namespaces.map((name) => ({ ...right, name }))
          : [right],
      ),
    neededInNamespaces: all.filter((right) => !isOfCluster(right)),
  };
}
