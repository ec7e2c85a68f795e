/**
 * RBAC permissions of an operator in the management cluster and in a host cluster, granted and revoked as by their
 * owners.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';

/** Files with the ClusterRoles of the operator. */
export const RIGHTS = {
  management: 'config/deploy/2-rights.yaml',
  away: 'config/remote-host/rights.yaml',
} as const;

export type RightsFile = (typeof RIGHTS)[keyof typeof RIGHTS];

/** User name of the operator in both clusters. */
export const OPERATOR = 'restricted-operator';

interface Role extends KubernetesObject {
  readonly rules: readonly {
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** The ClusterRoles of a file; the first one is the one that `revoke` changes. */
async function rolesIn(file: RightsFile): Promise<readonly [Role, ...Role[]]> {
  const objects = loadAll(await readFile(join(checkout, file), 'utf8')) as KubernetesObject[];
  const [first, ...others] = objects.filter(({ kind }) => kind === 'ClusterRole') as Role[];
  if (first === undefined) throw new Error(`${file} has no ClusterRole`);
  return [first, ...others];
}

/** Grants the operator the permissions of the file. */
export async function grant(client: KubernetesClient, file: RightsFile): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  for (const role of await rolesIn(file)) {
    const { name } = role.metadata;
    await client.create(role);
    await client.create({
      apiVersion: `${apiGroup}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup, kind: 'ClusterRole', name },
      subjects: [{ apiGroup, kind: 'User', name: OPERATOR }],
    });
  }
}

/**
 * Grants the permissions of the file without list and watch for some resources. @param plurals none: all permissions
 */
export async function revoke(
  client: KubernetesClient,
  file: RightsFile,
  ...plurals: readonly string[]
): Promise<void> {
  const [{ rules, metadata }] = await rolesIn(file);
  const left = rules.map((rule) =>
    rule.resources.some((resource) => plurals.includes(resource))
      ? { ...rule, verbs: rule.verbs.filter((verb) => verb !== 'list' && verb !== 'watch') }
      : rule,
  );
  await client.patch(resources.ClusterRole, { name: metadata.name }, { rules: left });
}
