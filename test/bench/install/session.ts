import { KubeConfig } from '@kubernetes/client-node';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { createClient } from '../../../src/kubernetes/client/client.ts';
import { kubeConfigEndpoint } from '../../../src/kubernetes/connection/connection.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { ObjectKey, ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import type { Cluster } from '../../../tools/embedded-cluster/cluster.ts';
import type { Progress } from '../../../tools/embedded-cluster/progress.ts';
import { deleteAndWait } from '../../harness/deletion.ts';

/** Cluster, client and progress output of a benchmark. */
export interface Session {
  readonly cluster: Cluster;
  readonly client: KubernetesClient;
  /** Remote host cluster of the control planes; undefined if they run in the cluster of the operator. */
  readonly host?: Session;
  /** Names of the clusters whose CPU time belongs to the benchmark. */
  readonly clusters: readonly string[];
  readonly progress: Progress;
}

/** Opens a session on a cluster as its administrator. */
export function openSession(cluster: Cluster, progress: Progress): Session {
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  const options = { userAgent: 'bench', resources: [karmadas] };
  const client = createClient(kubeConfigEndpoint(config), options);
  return { cluster, progress, client, clusters: [cluster.name] };
}

/** Deletes an object if it exists, and waits until it is gone. */
export async function remove(
  { client }: Session,
  type: ResourceType,
  key: ObjectKey,
): Promise<void> {
  await deleteAndWait(client, type, key, { deadlineMs: 120_000 });
}

/** Applies an object with all of its fields. */
export async function apply({ client }: Session, object: KubernetesObject): Promise<void> {
  await client.apply(object, { fieldManager: 'bench', force: true });
}
