/** What precedes the first certificates without the group `system:masters`: restored data, and Pods of another installer. */
import { SWITCH_ORDER } from '../../../src/features/identities/decide-identities.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import type { StubCluster } from '../stub-cluster.ts';
import { inside } from './component-roles.ts';
import { NAMESPACE as namespace } from './scenario.ts';
import { deployment, secretOf } from './switch-identities.ts';

const ROLE_TYPES: readonly ResourceType[] = [
  resources.ClusterRole,
  resources.ClusterRoleBinding,
  resources.Role,
  resources.RoleBinding,
];

/** Removes the roles of components, as a restore of a backup that is older than they. No operator may run. */
export async function loseRoles(cluster: StubCluster): Promise<void> {
  const client = inside(cluster);
  for (const type of ROLE_TYPES) {
    const { items } = await client.list(type);
    for (const { metadata } of items)
      if (metadata.name.startsWith('system:karmada:'))
        await client.delete(type, {
          name: metadata.name,
          ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
        });
  }
}

/** Lets the Pods of components mount another Secret, as those of another installer do. No operator may run. */
export async function mountOtherSecrets({ client }: StubCluster): Promise<void> {
  for (const component of SWITCH_ORDER) {
    const key = { namespace, name: secretOf(component) };
    const { metadata, ...secret } = await client.get(resources.Secret, key);
    const other = `${metadata.name}-former`;
    await client.create({ ...secret, metadata: { name: other, namespace } });
    const workload = await client.get(resources.Deployment, deployment(component));
    const text = JSON.stringify(workload).replaceAll(
      `"secretName":"${metadata.name}"`,
      `"secretName":"${other}"`,
    );
    await client.replace(JSON.parse(text) as KubernetesObject);
  }
}
