/** Reports changes that an executor blocked, if they stay blocked: pure. */
import type { MemoryChange } from '../../actions/round.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { ExecutionResult } from '../../actions/execution-result.ts';
import type { Plan } from '../../actions/planner.ts';

/**
 * Delay before a block is reported, in milliseconds. During a leader election no member may be restarted, which is
 * not worth a report.
 */
const REPORT_AFTER_MS = 10_000;

/**
 * Adds changes that executors blocked to the plan, after they have been blocked for a while.
 * @param monotonic clock in milliseconds
 */
export function withLastingBlocks(
  memory: Pick<InstanceCache, 'restartBlockedSince'>,
  plan: Plan,
  { blockedChanges }: Pick<ExecutionResult, 'blockedChanges'>,
  monotonic: number,
): { readonly plan: Plan; readonly remember: MemoryChange } {
  const { restartBlockedSince: since = monotonic } = memory;
  const lasting = monotonic - since < REPORT_AFTER_MS ? [] : blockedChanges;
  const all = [...plan.blockedChanges, ...lasting];
  const restartBlockedSince = blockedChanges.length === 0 ? undefined : since;
  const blocked = all.map(({ reason }) => reason);
  return { plan: { ...plan, blockedChanges: all }, remember: { restartBlockedSince, blocked } };
}
