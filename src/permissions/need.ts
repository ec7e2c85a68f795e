/** Shape of the list of permissions. */
import type { Permission, Verb } from './permission.ts';

/**
 * Role in the manifests of this repository. The ClusterRole of the operator also grants `backups`. The operator does not
 * compare that role with its permissions, because a cluster without the kinds of backups needs none of it.
 */
export type RoleName =
  'operator' | 'backups' | 'leader' | 'one-operator' | 'remote' | 'remote-port-forward';

/** Purpose of a permission. */
export interface Use {
  readonly verbs: readonly Verb[];
  /** Module below src/ that needs the permission. */
  readonly module: string;
  readonly reason: string;
}

export interface NeededPermission extends Permission, Pick<Use, 'module' | 'reason'> {
  /** Roles that grant the permission. */
  readonly roles: readonly RoleName[];
}

export type Resources = readonly [group: string, ...resources: string[]];

/**
 * One entry for each verb and resource.
 * @param name the only object that needs the permission
 */
export function need(
  roles: readonly RoleName[],
  of: Resources,
  use: Use,
  name?: string,
): NeededPermission[] {
  const [group, ...resources] = of;
  const { verbs, module, reason } = use;
  const common = { roles, group, module, reason, ...(name !== undefined && { name }) };
  return resources.flatMap((resource) => verbs.map((verb) => ({ ...common, verb, resource })));
}
