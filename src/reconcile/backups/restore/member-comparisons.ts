/**
 * Compares the member clusters of restored control planes in the background, while their propagation is paused. A reconcile reads the
 * last result and waits for nothing.
 */
import type { RestoreMemberCluster, RestoreMemberClusters } from '../../../api/backup/kinds.ts';
import type { Clock, Log } from '../../../kubernetes/clock.ts';
import type { KubernetesClient } from '../../../kubernetes/client-interface.ts';
import { errorText } from '../../../kubernetes/errors.ts';
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
  member(name: string): KubernetesClient;
}

/** Finds the control plane of a Karmada, by `namespace/name`; undefined while it is not connected. */
export type FindControlPlane = (karmada: string) => ComparedControlPlane | undefined;

/** Pause after a comparison, after one without some member clusters, and after one that failed, in milliseconds. */
const PAUSE_MS = 300_000;
const INCOMPLETE_MS = 60_000;
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

  constructor(
    { clock, log }: { readonly clock: Pick<Clock, 'after'>; readonly log: Pick<Log, 'warn'> },
    controlPlaneOf: FindControlPlane,
  ) {
    this.#poller = new Poller({
      clock,
      check: ({ karmada }, signal) =>
        compare(controlPlaneOf(karmada), signal).catch((error: unknown) => {
          const text = 'comparison of member clusters failed, will retry';
          log.warn({ karmada, error: errorText(error) }, text);
          return undefined;
        }),
      onResult: (_, target, found) => {
        if (found !== undefined) target.found = found;
      },
      pauseMs: ({ found }) => pauseAfter(found),
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

/** Compares one member cluster after the other. @returns undefined without a control plane @throws ApiError, NetworkError */
async function compare(
  plane: ComparedControlPlane | undefined,
  signal: AbortSignal,
): Promise<RestoreMemberClusters | undefined> {
  if (plane === undefined) return undefined;
  const { items } = await plane.client.list(clusters, { signal });
  const states = items.map(clusterState).sort((one, other) => (one.name < other.name ? -1 : 1));
  const found: RestoreMemberCluster[] = [];
  for (const state of states.slice(0, MOST_CLUSTERS))
    found.push(summaryOf(state, await compareOne(plane, state.name, signal)));
  return { total: states.length, clusters: found };
}

async function compareOne(
  plane: ComparedControlPlane,
  name: string,
  signal: AbortSignal,
): Promise<MemberComparison> {
  const member = plane.member(name);
  try {
    return await compareMember(name, { controlPlane: plane.client, member, signal });
  } finally {
    await member.close();
  }
}

function pauseAfter(found: RestoreMemberClusters | undefined): number {
  if (found === undefined) return RETRY_MS;
  // karmada-aggregated-apiserver may still start.
  const isIncomplete = found.clusters.some(({ problem }) => problem !== undefined);
  return isIncomplete ? INCOMPLETE_MS : PAUSE_MS;
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
