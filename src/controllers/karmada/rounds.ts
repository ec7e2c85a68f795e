/** The rounds of a reconcile: each one observes, decides and acts before the next one. */
import type { Action } from '../../actions/action.ts';
import { executionResultOf, type ExecutionResult } from '../../actions/execution-result.ts';
import type { Known, Learned, Round, RoundInput } from '../../actions/round.ts';
import type { Templates } from '../../components/render.ts';
import { withExecutionResult } from '../../features/assessment/assessment.ts';
import type { EventTools } from '../../features/causes/observe-events.ts';
import { certificatesRound } from '../../features/certificates/round.ts';
import { initialServiceActions } from '../../features/components/initial-services.ts';
import type { EtcdMemberTools } from '../../features/etcd-members/etcd-members.ts';
import { bootstrapRounds } from '../../features/etcd-plan/bootstrap-rounds.ts';
import { externalEtcdRound } from '../../features/external-etcd/round.ts';
import type { ProgressTools } from '../../features/progress/with-progress.ts';
import type { ReadinessCheckTools } from '../../features/readiness/check-readiness.ts';
import { identitiesRound } from '../../features/identities/round.ts';
import { remoteHostRound } from '../../features/remote-host/round.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { controlPlaneRound, type ControlPlaneRoundTools } from './control-plane-round.ts';
import type { Reconciled } from './result.ts';
import { readinessRound, statusRound } from './status-rounds.ts';

/** What rounds read with. */
interface Readers extends EtcdMemberTools, EventTools, ReadinessCheckTools {
  readonly host: Host;
}

/** Services exist before the certificates, because these contain their addresses. */
const firstServices = (templates: Templates): Round<unknown> => ({
  name: 'first Services',
  toleratesErrors: true,
  decide: ({ snapshot }) => ({
    actions: initialServiceActions(templates, snapshot),
    learn: (result) => ({ snapshot: withExecutionResult(snapshot, result) }),
  }),
});

/**
 * Returns the rounds that prepare a control plane, in their order. A preview takes the same.
 * @param adoption actions that adopt objects of the Go operator, those of one round after the other
 */
export const preparingRounds = (
  templates: Templates,
  adoption: readonly (readonly Action[])[],
): readonly Round<unknown>[] => [
  ...adoption.map((actions) => ({ name: 'adoption', decide: () => ({ actions }) })),
  remoteHostRound,
  externalEtcdRound,
  firstServices(templates),
  certificatesRound,
];

/** Returns all rounds of a reconcile, in their order. @param adoption see `preparingRounds` */
export const roundsOf = (
  tools: ControlPlaneRoundTools & ProgressTools,
  adoption: readonly (readonly Action[])[],
): readonly Round<Readers, Reconciled>[] => [
  ...preparingRounds(tools.templates, adoption),
  ...bootstrapRounds,
  identitiesRound,
  controlPlaneRound(tools),
  readinessRound,
  statusRound(tools),
];

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
