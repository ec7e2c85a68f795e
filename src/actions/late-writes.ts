/** Lets writes to the control plane outlast a reconcile. Writes to the host cluster are always awaited. */
import { identity } from '../kubernetes/objects/object.ts';
import type { Executors } from './execute-actions.ts';
import type { Done, LateStep } from './execution-result.ts';
import type { LateCalls } from '../control-plane-access/late-calls.ts';

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
