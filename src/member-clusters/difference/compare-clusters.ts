/** Compares the member clusters of a control plane, one after the other. */
import type { KubernetesClient } from '../../kubernetes/client-interface.ts';
import { clusterState, type ClusterState } from '../cluster-state.ts';
import { clusters } from '../member-cluster.ts';
import { compareMember, type MemberComparison } from './compare-member.ts';

/** Clients of a control plane and of its member clusters. */
export interface ComparedControlPlane {
  readonly client: Pick<KubernetesClient, 'list' | 'listPage'>;
  /** Creates a client of a member cluster. The caller closes it. */
  member(name: string): KubernetesClient;
}

/** Lists the member clusters by name. @throws ApiError, NetworkError */
export async function memberStates(
  { client }: Pick<ComparedControlPlane, 'client'>,
  signal: AbortSignal,
): Promise<readonly ClusterState[]> {
  const { items } = await client.list(clusters, { signal });
  return items.map(clusterState).sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Yields the comparison of each member cluster. Errors of a member cluster become the problem of its comparison. */
export async function* compareClusters(
  plane: ComparedControlPlane,
  states: readonly ClusterState[],
  signal: AbortSignal,
): AsyncGenerator<readonly [ClusterState, MemberComparison]> {
  for (const state of states) {
    const member = plane.member(state.name);
    try {
      const tools = { controlPlane: plane.client, member, signal };
      yield [state, await compareMember(state.name, tools)];
    } finally {
      await member.close();
    }
  }
}
