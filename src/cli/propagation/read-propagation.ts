/** Compares all member clusters of a control plane with its Works. */
import type { Karmada } from '../../api/karmada.ts';
import { isStatus } from '../../kubernetes/errors.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { clusterState } from '../../member-clusters/cluster-state.ts';
import {
  compareMember,
  type MemberComparison,
} from '../../member-clusters/difference/compare-member.ts';
import { clusters } from '../../member-clusters/member-cluster.ts';
import { PROPAGATION_PAUSED } from '../../reconcile/propagation.ts';
import { CommandError } from '../program/environment.ts';
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
  const states = (await listClusters(client, signal))
    .map(clusterState)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
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

/** Lists the Cluster objects, which karmada-aggregated-apiserver serves. */
async function listClusters(
  client: OpenControlPlane['client'],
  signal: AbortSignal,
): Promise<readonly KubernetesObject[]> {
  try {
    return (await client.list(clusters, { signal })).items;
  } catch (error) {
    if (!isStatus(error, 503)) throw error;
    throw new CommandError(
      'karmada-aggregated-apiserver is not available; try again when it is ready (see the command "status")',
    );
  }
}
