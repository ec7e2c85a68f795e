import { instanceName } from '../../src/api/naming.ts';
import { KubeConfig } from '@kubernetes/client-node';
import { createClient } from '../../src/kubernetes/client/client.ts';
import { kubeConfigEndpoint } from '../../src/kubernetes/connection/connection.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import type { ResourceType } from '../../src/kubernetes/objects/resources.ts';
import { karmadas } from '../../src/host-clusters/host.ts';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { getObject } from './cluster.ts';

/**
 * Client for the cluster's API with administrator credentials; the caller closes it.
 * @param further kinds in addition to the built-in ones and Karmada
 */
export function clientOf(
  { kubeconfig }: Cluster,
  further: readonly ResourceType[] = [],
): KubernetesClient {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  return createClient(kubeConfigEndpoint(config), { resources: [karmadas, ...further] });
}

/**
 * Client for a control plane with the unchanged administrator kubeconfig; the caller closes it.
 * @param cluster host cluster
 * @param further kinds in addition to the built-in ones
 */
export async function controlPlaneClientOf(
  cluster: Cluster,
  name: string,
  namespace: string,
  further: readonly ResourceType[] = [],
): Promise<KubernetesClient> {
  const secret = await getObject<{ data: Record<string, string> }>(
    ...([cluster, 'secret', instanceName(name, 'admin-config'), namespace] as const),
  );
  const config = new KubeConfig();
  config.loadFromString(Buffer.from(secret.data['kubeconfig'] ?? '', 'base64').toString('utf8'));
  return createClient(kubeConfigEndpoint(config), { resources: further });
}

/** Runs `work` with a client for the cluster's API and closes the client afterwards. */
export async function withClient<T>(
  cluster: Cluster,
  work: (client: KubernetesClient) => Promise<T>,
): Promise<T> {
  const client = clientOf(cluster);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
