/** Finds and compares the member clusters of a control plane. */
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import { reducedTo } from '../../kubernetes/informers/reduced-list.ts';
import { clusterState, type ClusterState } from '../cluster-state.ts';
import { clusters, reduceCluster, type Cluster } from '../member-cluster.ts';
import { compareMember, type MemberComparison } from './compare-member.ts';

/** Clients of a control plane and of its member clusters. */
export interface ComparedControlPlane {
  readonly client: Pick<KubernetesClient, 'list' | 'listPage'>;
  /** Creates a client of a member cluster. The caller closes it. */
  member(name: string): KubernetesClient;
}

/** What `clusterState` reads of a Cluster. */
function reduceState(cluster: Cluster): Cluster {
  const { apiVersion, kind, metadata, spec: { syncMode } = {} } = cluster;
  const { status } = reduceCluster(cluster);
  return {
    apiVersion,
    kind,
    metadata: { name: metadata.name },
    spec: { ...optionalField('syncMode', syncMode) },
    ...optionalField('status', status),
  };
}

/** Lists the member clusters by name. @throws ApiError, NetworkError */
export async function memberStates(
  { client }: Pick<ComparedControlPlane, 'client'>,
  signal: AbortSignal,
): Promise<readonly ClusterState[]> {
  const { items } = await client.list(clusters, { signal, ...reducedTo(reduceState) });
  return items.map(clusterState).sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Compares one member cluster. Its errors become the problem of the comparison. */
export async function compareCluster(
  plane: ComparedControlPlane,
  { name }: Pick<ClusterState, 'name'>,
  signal: AbortSignal,
): Promise<MemberComparison> {
  const member = plane.member(name);
  try {
    return await compareMember(name, { controlPlane: plane.client, member, signal });
  } finally {
    await member.close();
  }
}
