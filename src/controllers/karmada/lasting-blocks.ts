/** Reports changes that an executor blocked, if they stay blocked: pure, except for the instance cache. */
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { ExecutionResult } from '../../actions/execution-result.ts';
import type { Plan } from '../../features/components/plan.ts';

/**
 * Delay before a block is reported, in milliseconds. During a leader election no member may be restarted, which is
 * not worth a report.
 */
const TOLD_AFTER_MS = 10_000;

/**
 * Adds changes that executors blocked to the plan, after they have been blocked for a while, and keeps their reasons.
 * @param monotonic clock in milliseconds
 */
export function withLastingBlocks(
  instance: Pick<InstanceCache, 'restartBlockedSince' | 'blocked'>,
  plan: Plan,
  result: Pick<ExecutionResult, 'blockedChanges'>,
  monotonic: number,
): Plan {
  const reported = lastingBlocks(instance, plan, result, monotonic);
  instance.blocked = reported.blockedChanges.map(({ reason }) => reason);
  return reported;
}

function lastingBlocks(
  instance: Pick<InstanceCache, 'restartBlockedSince'>,
  plan: Plan,
  { blockedChanges }: Pick<ExecutionResult, 'blockedChanges'>,
  monotonic: number,
): Plan {
  if (blockedChanges.length === 0) {
    delete instance.restartBlockedSince;
    return plan;
  }
  instance.restartBlockedSince ??= monotonic;
  if (monotonic - instance.restartBlockedSince < TOLD_AFTER_MS) return plan;
  return { ...plan, blockedChanges: [...plan.blockedChanges, ...blockedChanges] };
}
