/**
 * Compares the member clusters of restored control planes in the background, while their propagation is paused. A reconcile reads the
 * last result and waits for nothing.
 */
import type { RestoreMemberCluster, RestoreMemberClusters } from '../../../api/backup/kinds.ts';
import type { Clock } from '../../../kubernetes/clock.ts';
import type { KubernetesClient } from '../../../kubernetes/client-interface.ts';
import { Poller } from '../../../kubernetes/poller.ts';
import { clusterState, type ClusterState } from '../../../member-clusters/cluster-state.ts';
import {
  compareMember,
  type MemberComparison,
} from '../../../member-clusters/difference/compare-member.ts';
import { clusters } from '../../../member-clusters/member-cluster.ts';

/** Clients of a control plane and of its member clusters. */
export interface ComparedControlPlane {
  readonly client: Pick<KubernetesClient, 'list' | 'listPage'>;
  readonly member: (name: string) => KubernetesClient;
}

/** Finds the control plane of a Karmada, by `namespace/name`; undefined while it is not connected. */
export type FindControlPlane = (karmada: string) => ComparedControlPlane | undefined;

/** Pause after a comparison, and after one that failed, in milliseconds. */
const PAUSE_MS = 300_000;
const RETRY_MS = 15_000;
const MOST_CLUSTERS = 20;
const LONGEST_PROBLEM = 300;

interface Target {
  /** `namespace/name` */
  readonly karmada: string;
  found?: RestoreMemberClusters;
}

/** Comparisons by KarmadaRestore. */
export class MemberComparisons {
  readonly #poller: Poller<Target, RestoreMemberClusters | undefined>;

  constructor(clock: Pick<Clock, 'after'>, controlPlaneOf: FindControlPlane) {
    this.#poller = new Poller({
      clock,
      check: (target, signal) => compare(controlPlaneOf(target.karmada), signal),
      onResult: (_, target, found) => {
        if (found !== undefined) target.found = found;
      },
      pauseMs: ({ found }) => (found === undefined ? RETRY_MS : PAUSE_MS),
    });
  }

  /**
   * Returns the last comparison, and starts comparisons if there is none.
   * @param restore key of the KarmadaRestore
   * @param karmada `namespace/name`
   */
  of(restore: string, karmada: string): RestoreMemberClusters | undefined {
    const target = this.#poller.get(restore);
    if (target === undefined) this.#poller.add(restore, { karmada });
    return target?.found;
  }

  /** Ends the comparisons of a KarmadaRestore. */
  forget(restore: string): void {
    this.#poller.forget(restore);
  }

  close(): void {
    this.#poller.close();
  }
}

/** Compares one member cluster after the other. @returns undefined if the control plane does not respond */
async function compare(
  plane: ComparedControlPlane | undefined,
  signal: AbortSignal,
): Promise<RestoreMemberClusters | undefined> {
  if (plane === undefined) return undefined;
  try {
    const { items } = await plane.client.list(clusters, { signal });
    const states = items.map(clusterState).sort((one, other) => (one.name < other.name ? -1 : 1));
    const found: RestoreMemberCluster[] = [];
    for (const state of states.slice(0, MOST_CLUSTERS))
      found.push(summaryOf(state, await compareOne(plane, state.name, signal)));
    return { total: states.length, clusters: found };
  } catch {
    // The conditions of the Karmada report a control plane that does not respond.
    return undefined;
  }
}

async function compareOne(
  { client, member }: ComparedControlPlane,
  name: string,
  signal: AbortSignal,
): Promise<MemberComparison> {
  const through = member(name);
  try {
    return await compareMember(name, { controlPlane: client, member: through, signal });
  } finally {
    await through.close();
  }
}

/** Counts of a member cluster. */
function summaryOf(
  { name, syncMode }: ClusterState,
  comparison: MemberComparison,
): RestoreMemberCluster {
  const cluster = { name, ...(syncMode !== undefined && { syncMode }) };
  if ('problem' in comparison)
    return { ...cluster, problem: comparison.problem.slice(0, LONGEST_PROBLEM) };
  const { suspended, ...counts } = comparison.counts;
  return { ...cluster, ...counts, equal: counts.equal + suspended };
}
