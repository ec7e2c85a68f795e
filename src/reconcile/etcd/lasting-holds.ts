/** Refusals of the last moment, as far as they last: pure but for the instance's memory. */
import type { Instance } from '../instance.ts';
import type { ActOutcome } from '../outcome.ts';
import type { Plan } from '../plan.ts';

/** While a leader is elected no member may be restarted, which is nothing to tell. */
const TOLD_AFTER_MS = 10_000;

/**
 * The plan with what its execution did not allow, once that has been so for a while.
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
