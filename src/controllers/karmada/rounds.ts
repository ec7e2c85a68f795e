/** The rounds of a reconcile that prepare a control plane: each one observes, decides and acts before the next one. */
import type { Action } from '../../actions/action.ts';
import {
  executeActions,
  executeActionsOrThrow,
  type Executors,
} from '../../actions/execute-actions.ts';
import type { Known, Round, RoundInput } from '../../actions/round.ts';
import type { Templates } from '../../components/render.ts';
import { withExecutionResult } from '../../features/assessment/assessment.ts';
import { certificatesRound } from '../../features/certificates/round.ts';
import { initialServiceActions } from '../../features/components/initial-services.ts';
import { bootstrapRounds } from '../../features/etcd-plan/bootstrap-rounds.ts';
import { externalEtcdRound } from '../../features/external-etcd/round.ts';
import { remoteHostRound } from '../../features/remote-host/round.ts';
import type { Host } from '../../host-clusters/host.ts';

interface Tools {
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
 * Returns the rounds that prepare a control plane, in their order. What all of them know is the basis of the plan.
 * @param adoption actions that adopt objects of the Go operator, those of one round after the other
 */
export const preparingRounds = (
  templates: Templates,
  adoption: readonly (readonly Action[])[],
): readonly Round<Tools>[] => [
  ...adoption.map((actions) => ({ name: 'adoption', decide: () => ({ actions }) })),
  remoteHostRound,
  externalEtcdRound,
  firstServices(templates),
  certificatesRound,
  ...bootstrapRounds,
];

/**
 * Runs rounds one after the other, until one of them finds that nothing can be created yet.
 * @returns what is known after them
 * @throws ApiError, NetworkError if a retry may succeed
 */
export async function runRounds<T>(
  rounds: readonly Round<T>[],
  { tools, executors, ...input }: RoundInput & { readonly tools: T; readonly executors: Executors },
  start: Known,
): Promise<Known> {
  let known = start;
  for (const round of rounds) {
    known = { ...known, ...(await round.observe?.(tools, known)) };
    const { actions, learn } = round.decide(known, input);
    const execute = round.toleratesErrors ? executeActions : executeActionsOrThrow;
    const result = await execute(executors, actions);
    known = { ...known, ...learn?.(result) };
    if (known.isBlocked) break;
  }
  return known;
}
