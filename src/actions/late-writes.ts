/** Lets writes to the control plane outlast a reconcile. Writes to the host cluster are always awaited. */
import type { KarmadaStatus } from '../api/karmada.ts';
import { identity } from '../kubernetes/objects/object.ts';
import type { Executors } from './execute-actions.ts';
import type { Done, ExecutionResult, LateStep } from './execution-result.ts';
import type { LateCalls } from '../control-plane-access/late-calls.ts';
import { isReadyFor } from '../control-plane-access/readiness-gate.ts';
import type { Assessment } from './assessment.ts';

/** Wraps executors. A write that has not ended in time counts as not made, and is not started again before it has ended. */
export function withLateWrites(executors: Executors, calls: LateCalls): Executors {
  const inTime = async (
    id: string,
    lateStep: LateStep,
    write: () => Promise<Done>,
  ): Promise<Done> => {
    const answer = await calls.run(`write ${id}`, write, false);
    return answer === 'late' ? { lateStep } : answer.value;
  };
  return {
    ...executors,
    apply: (action) =>
      action.target.cluster === 'controlPlane'
        ? inTime(action.target.id, action.target.step, () => executors.apply(action))
        : executors.apply(action),
    remove: (action) =>
      action.cluster === 'controlPlane'
        ? inTime(identity(action.object), 'removal', () => executors.remove(action))
        : executors.remove(action),
  };
}

/**
 * Whether a Ready control plane lacks nothing but the end of writes to it. Its status then stays unchanged, because `Ready` would
 * be False for a moment after each repair that takes longer. An error of a write ends this.
 */
export function awaitsOnlyWrites(
  { lateSteps = [] }: Pick<ExecutionResult, 'lateSteps'>,
  {
    snapshot,
    unfinished,
    problem,
    blocked,
  }: Pick<Assessment, 'snapshot' | 'unfinished' | 'problem' | 'blocked'>,
  before: KarmadaStatus,
): boolean {
  const lacksMore = unfinished.some(({ step }) => !lateSteps.some((late) => late === step));
  return (
    lateSteps.length > 0 &&
    isReadyFor(before, snapshot.karmada.metadata.generation) &&
    !lacksMore &&
    problem === undefined &&
    blocked === undefined
  );
}
