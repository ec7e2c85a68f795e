/** The rights of an operator in its own cluster and on a host, as their owners give and take them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import type { KubernetesClient } from '../../../src/kubernetes/contract.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { resources } from '../../../src/kubernetes/resources.ts';
import { checkout } from '../../cluster/paths.ts';

/** Files with the ClusterRole that an operator has. */
export const RIGHTS = {
  home: 'config/deploy/2-rights.yaml',
  away: 'config/remote-host/rights.yaml',
} as const;

export type RightsFile = (typeof RIGHTS)[keyof typeof RIGHTS];

/** Who the operator is, in either cluster. */
export const OPERATOR = 'restricted-operator';

interface Role extends KubernetesObject {
  readonly rules: readonly {
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** The ClusterRoles of a file, first the one that `revoke` changes. */
async function rolesIn(file: RightsFile): Promise<readonly [Role, ...Role[]]> {
  const objects = loadAll(await readFile(join(checkout, file), 'utf8')) as KubernetesObject[];
  const [first, ...others] = objects.filter(({ kind }) => kind === 'ClusterRole') as Role[];
  if (first === undefined) throw new Error(`${file} has no ClusterRole`);
  return [first, ...others];
}

/** Gives the operator what the file has. */
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

/** The operator has what the file has, but may no longer list and watch these. @param plurals none: has it all again */
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
