import type { Clock } from '../../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { ConfigMap } from '../../kubernetes/objects/kinds.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { SHARED_TRUST, type SharedTrust } from './shared-trust.ts';
import { CLUSTER_INFO } from './trusting-objects.ts';

/** Reads the ConfigMap from which aggregated API servers take the CAs of front proxies. The API servers of the control plane write it. */
export async function readSharedTrust(
  client: Pick<KubernetesClient, 'find'>,
  clock: Pick<Clock, 'monotonic'>,
): Promise<SharedTrust> {
  const observedAt = clock.monotonic();
  const configMap = await client.find(resources.ConfigMap, SHARED_TRUST);
  return { observedAt, ...(configMap && { configMap }) };
}

/** Reads the ConfigMap from which clusters that register take the CAs. */
export const readClusterInfo = (
  client: Pick<KubernetesClient, 'find'>,
): Promise<ConfigMap | undefined> => client.find(resources.ConfigMap, CLUSTER_INFO);
