/**
 * Compares the member clusters of restored control planes in the background, while their propagation is paused. A reconcile reads the
 * last result and waits for nothing. Namespaces take turns, with one member cluster in each: comparisons need memory, and a member
 * cluster may not respond.
 */
import type { RestoreMemberCluster, RestoreMemberClusters } from '../../api/backup/kinds.ts';
import { BackgroundSlots } from '../../kubernetes/fairness/background-slots.ts';
import type { Clock, Log } from '../../kubernetes/time/clock.ts';
import { errorText } from '../../kubernetes/client/errors.ts';
import { linkSignals } from '../../kubernetes/connection/link-signals.ts';
import { Poller } from '../../kubernetes/client/poller.ts';
import type { ClusterState } from '../../member-clusters/cluster-state.ts';
import {
  compareCluster,
  memberStates,
  type ComparedControlPlane,
} from '../../member-clusters/difference/compare-clusters.ts';
import type { MemberComparison } from '../../member-clusters/difference/compare-member.ts';

/** Finds the control plane of a Karmada, by `namespace/name`; undefined while it is not connected. */
export type FindControlPlane = (karmada: string) => ComparedControlPlane | undefined;

/** Pause after a comparison, after one without some member clusters, and after one that failed, in milliseconds. */
const PAUSE_MS = 300_000;
const INCOMPLETE_MS = 60_000;
const RETRY_MS = 15_000;
const MAX_CLUSTERS = 20;
const MAX_PROBLEM_LENGTH = 300;

/** Comparisons at once: each reads pages of up to 16 MiB, and keeps up to 32 MiB. */
const COMPARISONS = { count: 3, groupCount: 1 };
/** Longest turn, in milliseconds. */
const MAX_MS = 120_000;
const OVERDUE = `not compared within ${String(MAX_MS / 1_000)} s; compare it with the command "propagation" of the kubectl plugin`;

interface Target {
  /** `namespace/name` */
  readonly karmada: string;
  found?: RestoreMemberClusters;
}

interface MemberComparisonsOptions {
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/** Comparisons by KarmadaRestore. */
export class MemberComparisons {
  readonly #poller: Poller<Target, RestoreMemberClusters | undefined>;

  constructor({ clock, log }: MemberComparisonsOptions, controlPlaneOf: FindControlPlane) {
    const slots = new BackgroundSlots({ clock, ...COMPARISONS });
    this.#poller = new Poller({
      clock,
      log,
      check: ({ karmada }, signal) => {
        const turns = { clock, slots, karmada, signal };
        return compare(controlPlaneOf(karmada), turns).catch((error: unknown) => {
          const text = 'comparison of member clusters failed, will retry';
          if (!signal.aborted) log.warn({ karmada, error: errorText(error) }, text);
          return undefined;
        });
      },
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

/** Turns of a control plane. `signal` ends the comparison. */
interface Turns {
  readonly clock: Pick<Clock, 'after'>;
  readonly slots: Pick<BackgroundSlots, 'run'>;
  /** `namespace/name` */
  readonly karmada: string;
  readonly signal: AbortSignal;
}

/** Compares each member cluster in a turn. @returns undefined without a control plane @throws ApiError, NetworkError */
async function compare(
  plane: ComparedControlPlane | undefined,
  turns: Turns,
): Promise<RestoreMemberClusters | undefined> {
  if (plane === undefined) return undefined;
  const states = await inTurn(turns, (signal) => memberStates(plane, signal));
  const clusters: RestoreMemberCluster[] = [];
  for (const state of states.slice(0, MAX_CLUSTERS)) {
    const comparison = await inTurn(turns, async (signal) => {
      const found = await compareCluster(plane, state, signal);
      return 'problem' in found && signal.aborted ? { problem: OVERDUE } : found;
    });
    clusters.push(summaryOf(state, comparison));
  }
  return { total: states.length, clusters };
}

/** Runs `work` in a turn of the namespace. @param work gets a signal that is aborted at the end of the longest turn, too */
function inTurn<T>(
  { clock, slots, karmada, signal }: Turns,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const [group = '', tenant = ''] = karmada.split('/');
  const limited = async (): Promise<T> => {
    const deadline = new AbortController();
    const cancel = clock.after(MAX_MS, () => deadline.abort(new Error(OVERDUE)));
    const { signal: ends = signal, release } = linkSignals(signal, deadline.signal);
    try {
      return await work(ends);
    } finally {
      cancel();
      release();
    }
  };
  return slots.run(limited, { flow: { group, tenant }, signal });
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
    return { ...cluster, problem: comparison.problem.slice(0, MAX_PROBLEM_LENGTH) };
  const { suspended, ...counts } = comparison.counts;
  return { ...cluster, ...counts, equal: counts.equal + suspended };
}
