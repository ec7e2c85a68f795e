/** Roles of components in a Karmada API of stubs. */
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import { disturbedName as name } from '../../harness/disturbed-install.ts';
import { StubClient } from '../api/stub-client.ts';
import type { StubCluster } from '../stub-cluster.ts';
import { NAMESPACE as namespace } from './scenario.ts';

const PAUSE = 'operator.karmada.io/pause-repair';

/** A role in the Karmada API. */
export interface Role {
  readonly type: ResourceType;
  readonly key: { readonly name: string; readonly namespace?: string };
}

/** The ClusterRole of a component, or of the group of all. */
export const clusterRole = (called: string): Role => ({
  type: resources.ClusterRole,
  key: { name: called },
});

export function inside(cluster: StubCluster): StubClient {
  const api = cluster.karmadaApi(namespace, name);
  if (api === undefined) throw new Error('the Karmada API was not served yet');
  return new StubClient(api, [], 'kubectl');
}

export const roleOf = (cluster: StubCluster, { type, key }: Role): Promise<KubernetesObject> =>
  inside(cluster).get(type, key);

/** Takes the first rule of a role. @param pauses whether the operator must not apply it again */
export const takeRule =
  (role: Role, pauses = false) =>
  async (cluster: StubCluster): Promise<void> => {
    const { rules } = (await roleOf(cluster, role)) as unknown as { rules: readonly object[] };
    const annotations = pauses ? { [PAUSE]: 'true' } : {};
    const patch = { metadata: { annotations }, rules: rules.slice(1) };
    await inside(cluster).patch(role.type, role.key, patch);
  };

/** Lets the operator apply a role again. */
export const repair =
  ({ type, key }: Role) =>
  (cluster: StubCluster): Promise<unknown> =>
    inside(cluster).patch(type, key, { metadata: { annotations: { [PAUSE]: null } } });
