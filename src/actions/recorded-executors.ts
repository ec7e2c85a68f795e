/** Reports failures and repairs of actions to metrics. */
import { keysOf } from '../kubernetes/objects/records.ts';
import type { AnyAction } from './action.ts';
import type { ExecutorsOf } from './execute-actions.ts';
import type { Done } from './execution-result.ts';
import { errorReason, type ReconcileRecord } from './reconcile-record.ts';

/** Component of an object, otherwise the kind of the action. */
const stepOf = (action: AnyAction): string =>
  action.kind === 'apply' ? action.target.step : action.kind;

/** Wraps executors, so that each result is reported. Results and errors stay the same. */
export function recordedExecutors<A extends AnyAction>(
  executors: ExecutorsOf<A>,
  record: ReconcileRecord | undefined,
): ExecutorsOf<A> {
  if (record === undefined) return executors;
  const all: { -readonly [K in A['kind']]: ExecutorsOf<A>[K] } = { ...executors };
  for (const kind of keysOf(executors)) all[kind] = recordedExecutor(executors, kind, record);
  return all;
}

function recordedExecutor<A extends AnyAction, K extends A['kind']>(
  executors: ExecutorsOf<A>,
  kind: K,
  record: ReconcileRecord,
): ExecutorsOf<A>[K] {
  const execute = executors[kind];
  return (action) => recorded(execute(action), action, record);
}

async function recorded(
  result: Promise<Done>,
  action: AnyAction,
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
