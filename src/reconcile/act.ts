/** Carries actions out: the one place through which a reconcile writes. */
import { errorText } from '../kubernetes/errors.ts';
import { subjectOf, type Action, type ActionOf } from './action.ts';
import { outcomeOf, type ActOutcome, type Done } from './outcome.ts';
import { isPaused } from './pause.ts';

/** For each kind of action what does it. An executor checks in the same breath as it writes what must hold for that. */
export type Executors = {
  readonly [K in Action['kind']]: (action: ActionOf<K>) => Promise<Done>;
};

/**
 * Carries out all actions side by side, but those that would write to an object whose repair is paused. Never throws: what
 * failed is in the outcome.
 */
export async function act(executors: Executors, actions: readonly Action[]): Promise<ActOutcome> {
  const allowed = actions.filter((action) => !isSubjectPaused(action));
  const settled = await Promise.allSettled(allowed.map((action) => execute(executors, action)));
  const done = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const errors = settled.flatMap((one) =>
    one.status === 'rejected' ? [one.reason as unknown] : [],
  );
  return outcomeOf(done, errors);
}

/** As `act`. @throws the first error that an action threw */
export async function actOrThrow(
  executors: Executors,
  actions: readonly Action[],
): Promise<ActOutcome> {
  const outcome = await act(executors, actions);
  const [error] = outcome.errors;
  if (error !== undefined)
    throw error instanceof Error ? error : new Error(errorText(error), { cause: error });
  return outcome;
}

function isSubjectPaused(action: Action): boolean {
  const subject = subjectOf(action);
  return subject !== undefined && isPaused(subject);
}

async function execute(executors: Executors, action: Action): Promise<Done> {
  const executor = executors[action.kind] as (action: Action) => Promise<Done>;
  return executor(action);
}
