/** Runs the rounds of a reconcile: each one observes, decides and acts before the next one. */
import type { Action } from '../../actions/action.ts';
import { executionResultOf, type ExecutionResult } from '../../actions/execution-result.ts';
import type { Known, Learned, Round, RoundInput } from '../../actions/round.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';

export interface RoundContext<T, K extends Known> extends Omit<RoundInput, 'instance'> {
  /** Only rounds and executors change it. */
  readonly instance: InstanceCache;
  readonly tools: T;
  /** Executes the actions of a round. @throws an error of an action that the round does not tolerate */
  readonly act: (
    actions: readonly Action[],
    known: K,
    round: Pick<Round<unknown>, 'name' | 'toleratesErrors'>,
  ) => Promise<ExecutionResult>;
}

/**
 * Runs rounds one after the other. When one of them finds that nothing can be created yet, only the lasting ones follow.
 * @returns what is known after them
 * @throws ApiError, NetworkError if a retry may succeed
 */
export async function runRounds<T, K extends Known>(
  rounds: readonly Round<T, K>[],
  context: RoundContext<T, K>,
  start: K,
): Promise<K> {
  const { instance, tools, act } = context;
  let known = start;
  const learn = ({ remember, ...more }: Learned<K>): void => {
    Object.assign(instance, remember);
    known = { ...known, ...more };
  };
  for (const round of rounds) {
    if (known.isBlocked && !round.isLasting) continue;
    if (round.observe) learn(await round.observe(tools, known, instance));
    if (round.decide === undefined) continue;
    const { actions, remember, ...decision } = round.decide(known, context);
    Object.assign(instance, remember);
    const result = actions.length === 0 ? NO_ACTIONS : await act(actions, known, round);
    if (decision.learn) learn(decision.learn(result));
  }
  return known;
}

const NO_ACTIONS = executionResultOf([], []);
