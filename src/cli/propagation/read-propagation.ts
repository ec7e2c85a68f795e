/** Compares all member clusters of a control plane with its Works. */
import type { Karmada } from '../../api/karmada.ts';
import { clusterState } from '../../member-clusters/cluster-state.ts';
import {
  compareMember,
  type MemberComparison,
} from '../../member-clusters/difference/compare-member.ts';
import { clusters } from '../../member-clusters/member-cluster.ts';
import { PROPAGATION_PAUSED } from '../../reconcile/propagation.ts';
import type { OpenControlPlane } from './open-control-plane.ts';

/** One member cluster. */
export type MemberView = MemberComparison & {
  readonly name: string;
  /** Undefined if the Cluster object has none. */
  readonly syncMode?: 'Push' | 'Pull';
};

/** What a control plane would change in its member clusters. */
export interface PropagationView {
  readonly namespace: string;
  readonly name: string;
  readonly paused: boolean;
  /** Sorted by name. */
  readonly members: readonly MemberView[];
}

/** Compares one member cluster after the other. @throws ApiError, NetworkError if the control plane does not respond */
export async function readPropagation(
  { metadata }: Karmada,
  { client, member }: Pick<OpenControlPlane, 'client' | 'member'>,
  signal: AbortSignal,
): Promise<PropagationView> {
  const { items } = await client.list(clusters, { signal });
  const states = items.map(clusterState).sort((one, other) => (one.name < other.name ? -1 : 1));
  const members: MemberView[] = [];
  for (const { name, syncMode } of states) {
    const through = member(name);
    try {
      const tools = { controlPlane: client, member: through, signal };
      const found = await compareMember(name, tools);
      members.push({ name, ...(syncMode !== undefined && { syncMode }), ...found });
    } finally {
      await through.close();
    }
  }
  const { namespace = '', name, annotations = {} } = metadata;
  return { namespace, name, paused: PROPAGATION_PAUSED in annotations, members };
}
