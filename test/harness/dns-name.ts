/** A DNS name in the DNS of a cluster, which a test can move to another address. */
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { apply } from './cluster.ts';

const namespace = 'dns';
const service = 'control-plane';

/** The name. Pods of the cluster resolve it. */
export const MOVABLE_NAME = `${service}.${namespace}.svc.cluster.local`;

/** Points the name to an IPv4 address. Resolvers notice it after ten seconds at most. */
export async function pointName(cluster: Cluster, address: string): Promise<void> {
  const metadata = { name: service, namespace };
  const labels = { 'kubernetes.io/service-name': service };
  await apply(
    cluster,
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { clusterIP: 'None', ports: [{ port: 443 }] },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      addressType: 'IPv4',
      metadata: { ...metadata, labels },
      endpoints: [{ addresses: [address] }],
      ports: [{ port: 443 }],
    },
  );
}
