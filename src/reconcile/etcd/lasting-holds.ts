/** Reports changes that an executor blocked, if they stay blocked: pure, except for the instance cache. */
import type { Instance } from '../instance.ts';
import type { ActOutcome } from '../outcome.ts';
import type { Plan } from '../plan.ts';

/**
 * Delay before a block is reported, in milliseconds. During a leader election no member may be restarted, which is
 * not worth a report.
 */
const TOLD_AFTER_MS = 10_000;

/**
 * Adds changes that executors blocked to the plan, after they have been blocked for a while.
 * @param monotonic clock in milliseconds
 */
export function withLastingHolds(
  instance: Pick<Instance, 'restartHeldSince'>,
  plan: Plan,
  { holds }: Pick<ActOutcome, 'holds'>,
  monotonic: number,
): Plan {
  if (holds.length === 0) {
    delete instance.restartHeldSince;
    return plan;
  }
  instance.restartHeldSince ??= monotonic;
  if (monotonic - instance.restartHeldSince < TOLD_AFTER_MS) return plan;
  return { ...plan, holds: [...plan.holds, ...holds] };
}
