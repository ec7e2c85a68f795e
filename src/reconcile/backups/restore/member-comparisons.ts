/**
 * Compares the member clusters of restored control planes in the background, while their propagation is paused. A reconcile reads the
 * last result and waits for nothing.
 */
import type { RestoreMemberCluster, RestoreMemberClusters } from '../../../api/backup/kinds.ts';
import type { Clock, Log } from '../../../kubernetes/clock.ts';
import { errorText } from '../../../kubernetes/errors.ts';
import { Poller } from '../../../kubernetes/poller.ts';
import type { ClusterState } from '../../../member-clusters/cluster-state.ts';
import {
  compareClusters,
  memberStates,
  type ComparedControlPlane,
} from '../../../member-clusters/difference/compare-clusters.ts';
import type { MemberComparison } from '../../../member-clusters/difference/compare-member.ts';

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
    {
      clock,
      log,
    }: { readonly clock: Pick<Clock, 'after'>; readonly log: Pick<Log, 'warn' | 'error'> },
    controlPlaneOf: FindControlPlane,
  ) {
    this.#poller = new Poller({
      ...{ clock, log },
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
  const states = await memberStates(plane, signal);
  const found: RestoreMemberCluster[] = [];
  const compared = compareClusters(plane, states.slice(0, MOST_CLUSTERS), signal);
  for await (const [state, comparison] of compared) found.push(summaryOf(state, comparison));
  return { total: states.length, clusters: found };
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
