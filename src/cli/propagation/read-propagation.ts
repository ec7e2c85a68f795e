/** Compares all member clusters of a control plane with its Works. */
import type { Karmada } from '../../api/karmada.ts';
import { isStatus } from '../../kubernetes/client/errors.ts';
import type { ClusterState } from '../../member-clusters/cluster-state.ts';
import {
  compareCluster,
  memberStates,
  type ComparedControlPlane,
} from '../../member-clusters/difference/compare-clusters.ts';
import type { MemberComparison } from '../../member-clusters/difference/compare-member.ts';
import { PROPAGATION_PAUSED } from '../../features/propagation/propagation.ts';
import { CommandError } from '../program/environment.ts';

/** One member cluster. */
export type MemberView = MemberComparison & {
  readonly name: string;
  /** Undefined if the Cluster object has none. */
  readonly syncMode?: 'Push' | 'Pull';
  /** Status of its condition Ready. It is not updated while the propagation is paused. */
  readonly ready: ClusterState['ready'];
  /** RFC 3339, since when it has this status. */
  readonly since?: string;
};

/** What a control plane would change in its member clusters. */
export interface PropagationView {
  readonly namespace: string;
  readonly name: string;
  readonly paused: boolean;
  /** URL of the API server for clients outside the host cluster. */
  readonly server: string;
  /** Sorted by name. */
  readonly members: readonly MemberView[];
}

/** Compares one member cluster after the other. @throws ApiError, NetworkError if the control plane does not respond */
export async function readPropagation(
  { metadata }: Karmada,
  plane: ComparedControlPlane & Pick<PropagationView, 'server'>,
  signal: AbortSignal,
): Promise<PropagationView> {
  const members: MemberView[] = [];
  for (const state of await statesOf(plane, signal)) {
    const found = await compareCluster(plane, state, signal);
    members.push({ ...stateOf(state), ...found });
  }
  const { namespace = '', name, annotations = {} } = metadata;
  return {
    namespace,
    name,
    paused: PROPAGATION_PAUSED in annotations,
    server: plane.server,
    members,
  };
}

const stateOf = ({
  name,
  syncMode,
  ready,
  changedAt,
}: ClusterState): Pick<MemberView, 'name' | 'syncMode' | 'ready' | 'since'> => ({
  name,
  ...(syncMode !== undefined && { syncMode }),
  ready,
  ...(changedAt !== undefined && { since: new Date(changedAt).toISOString() }),
});

/** Lists the member clusters, which karmada-aggregated-apiserver serves. */
async function statesOf(
  plane: ComparedControlPlane,
  signal: AbortSignal,
): Promise<readonly ClusterState[]> {
  try {
    return await memberStates(plane, signal);
  } catch (error) {
    if (!isStatus(error, 503)) throw error;
    throw new CommandError(
      'karmada-aggregated-apiserver is not available; try again when it is ready (see the command "status")',
    );
  }
}
