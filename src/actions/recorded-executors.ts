/** Reports failures and repairs of actions to metrics. */
import type { Action } from './action.ts';
import type { Executors } from './execute-actions.ts';
import type { Done } from './execution-result.ts';
import { errorReason, type ReconcileRecord } from './reconcile-record.ts';

/** Component of an object, otherwise the kind of the action. */
const stepOf = (action: Action): string =>
  action.kind === 'apply' ? action.target.step : action.kind;

/** Wraps executors, so that each result is reported. Results and errors stay the same. */
export function recordedExecutors(
  executors: Executors,
  record: ReconcileRecord | undefined,
): Executors {
  if (record === undefined) return executors;
  const wrapped = Object.entries(executors).map(([kind, executor]) => {
    const execute = executor as (action: Action) => Promise<Done>;
    return [kind, (action: Action) => recorded(execute(action), action, record)] as const;
  });
  return Object.fromEntries(wrapped) as unknown as Executors;
}

async function recorded(
  result: Promise<Done>,
  action: Action,
  record: ReconcileRecord,
): Promise<Done> {
  try {
    const done = await result;
    const { problem, repaired } = done;
    if (problem !== undefined) record.failed(problem.step, problem.reason);
    if (repaired !== undefined) record.repaired(repaired);
    return done;
  } catch (error) {
    record.failed(stepOf(action), errorReason(error), error);
    throw error;
  }
}
