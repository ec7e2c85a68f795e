/** Executes the actions of a reconcile plan. Only this module writes to a cluster. */
import { errorText } from '../kubernetes/client/errors.ts';
import { subjectOf, type Action, type AnyAction } from './action.ts';
import { executionResultOf, type ExecutionResult, type Done } from './execution-result.ts';
import { isPaused } from '../instance/pause.ts';

/**
 * Executor for each kind of action. An executor checks its preconditions immediately before it writes, because the
 * plan is based on caches.
 */
export type ExecutorsOf<A extends AnyAction> = {
  readonly [K in A['kind']]: (action: Extract<A, { readonly kind: K }>) => Promise<Done>;
};

export type Executors = ExecutorsOf<Action>;

/**
 * Executes all actions in parallel. Skips actions on objects whose repair is paused by annotation.
 * @returns the combined result; failed actions are in `errors`. Never rejects
 */
export async function executeActions<A extends AnyAction>(
  executors: ExecutorsOf<A>,
  actions: readonly A[],
): Promise<ExecutionResult> {
  const allowed = actions.filter((action) => !isSubjectPaused(action));
  const settled = await Promise.allSettled(allowed.map((action) => execute(executors, action)));
  const done = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const errors = settled.flatMap((one): readonly unknown[] =>
    one.status === 'rejected' ? [one.reason] : [],
  );
  return executionResultOf(done, errors);
}

/** Same as `act`, but reports failures as an exception. @throws the first error that an action threw */
export async function executeActionsOrThrow<A extends AnyAction>(
  executors: ExecutorsOf<A>,
  actions: readonly A[],
): Promise<ExecutionResult> {
  const outcome = await executeActions(executors, actions);
  const [error] = outcome.errors;
  if (error !== undefined)
    throw error instanceof Error ? error : new Error(errorText(error), { cause: error });
  return outcome;
}

function isSubjectPaused(action: AnyAction): boolean {
  const subject = subjectOf(action);
  return subject !== undefined && isPaused(subject);
}

async function execute<A extends AnyAction>(executors: ExecutorsOf<A>, action: A): Promise<Done> {
  const executor = executors[action.kind as A['kind']] as (action: A) => Promise<Done>;
  return executor(action);
}
