/** Assesses a control plane after its plan was executed, from the reports of its features. Pure functions. */
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import { ofKind } from '../../actions/action.ts';
import { errorsText, type ExecutionResult } from '../../actions/execution-result.ts';
import type { ReportInput } from '../../actions/feature.ts';
import type { Cause } from '../../causes/cause.ts';
import type { Redactions } from '../../causes/redactions.ts';
import type { ComponentName, Step } from '../../components/component.ts';
import { FailedWebhookError } from '../../control-plane-access/failed-webhook.ts';
import { appliedChanges } from '../../assessment/applied-changes.ts';
import type { Assessment, Unfinished } from '../../actions/assessment.ts';
import { FAILED_CALL, withExecutionResult } from '../../assessment/assessment.ts';
import { isEffect, reasonOf } from '../../assessment/waiting-steps.ts';
import type { Plan } from '../../actions/planner.ts';
import { isPerCluster } from '../../components/registry.ts';
import type { DesiredObjects } from '../../instance/desired-objects.ts';
import type { RolloutTurn } from '../../instance/rollout-turn.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import { derived } from './derived.ts';
import { FEATURES, PLANNER } from './features.ts';

export interface AssessInput {
  readonly snapshot: Snapshot;
  readonly desired: DesiredObjects | undefined;
  readonly view: CertificatesView | undefined;
  readonly plan: Plan;
  readonly outcome: ExecutionResult;
  readonly certificateProblem: Problem | undefined;
  readonly rollout?: RolloutTurn;
  /** Status that was written last. */
  readonly before?: KarmadaStatus;
  /** Of earlier assessments of the same Karmada. */
  readonly redactions?: Redactions;
}

/** Assesses the control plane as it is after the plan was executed. */
export function assess(input: AssessInput): Assessment {
  const { plan, outcome, desired, view, certificateProblem } = input;
  const snapshot = derived(withExecutionResult(input.snapshot, outcome));
  const states = desired === undefined ? new Map() : PLANNER.states(desired, snapshot);
  const causes = causesIn(snapshot, input.redactions);
  const blockedChanges = plan.blockedChanges.filter(({ step }) => step !== 'prune');
  const { waiting = new Map() } = plan;
  const report = { snapshot, view, certificateProblem, outcome, causes };
  return {
    snapshot,
    view,
    desired,
    outcome,
    states,
    waiting,
    unfinished: unfinishedOf({ states, waiting, ...report }, plan),
    problem: firstProblem(report, outcome),
    causes,
    certificateProblem,
    warnings: FEATURES.flatMap((one) => one.warnings?.(snapshot, input.before ?? {}) ?? []),
    blocked: blockedChanges[0],
    rollout: input.rollout ?? { turn: 'go' },
  };
}

const causesIn = (
  snapshot: Snapshot,
  redactions: Redactions | undefined,
): ReadonlyMap<ComponentName, Cause> =>
  new Map(FEATURES.flatMap((feature) => [...(feature.causes?.(snapshot, redactions) ?? [])]));

/** Returns what a feature reports first. A failed call counts only if no feature knows its cause. */
function firstProblem(report: ReportInput, outcome: ExecutionResult): Problem | undefined {
  const [own] = FEATURES.flatMap((feature) => feature.problem?.(report) ?? []);
  const [minor] = FEATURES.flatMap((feature) => feature.minorProblem?.(report) ?? []);
  return own ?? failedCalls(outcome) ?? minor;
}

/** Names a webhook that is the cause of a failed call, otherwise the calls. */
function failedCalls({ errors }: ExecutionResult): Problem | undefined {
  if (errors.length === 0) return undefined;
  const webhook = errors.find((error) => error instanceof FailedWebhookError);
  return webhook?.problem ?? { reason: FAILED_CALL, message: errorsText(errors) };
}

type Seen = Pick<Assessment, 'states' | 'waiting'> & ReportInput;

function unfinishedOf(seen: Seen, plan: Plan): readonly Unfinished[] {
  const reported = FEATURES.flatMap((feature) => feature.unfinished?.(seen) ?? []);
  const separate = reported.filter(({ isSeparate }) => isSeparate === true);
  const [first] = FEATURES.flatMap((feature) => feature.awaits?.(seen) ?? []);
  if (first !== undefined) return [first, ...separate];
  const open = incompleteSteps(seen);
  // Steps that wait for others are listed only if nothing else is incomplete: users need the cause, not its effects.
  const effects = open.filter(({ step }) => isEffect(seen.waiting.get(step)));
  const listed = open.filter((item) => !effects.includes(item));
  const applied = open.length > 0 ? [] : appliedChanges(seen.snapshot, plan).filter(isCounted);
  const others = reported.filter(({ isSeparate }) => isSeparate !== true);
  const active = [...unread(seen), ...others, ...listed, ...removals(plan), ...applied];
  return [...(active.length > 0 ? active : effects), ...separate];
}

const isCounted = ({ step }: { readonly step: Step }): boolean => !isPerCluster(step);

const incompleteSteps = ({
  states,
  waiting,
  ...seen
}: Seen): readonly (Unfinished & { readonly step: Step })[] => {
  const causes: ReadonlyMap<Step, Cause> = seen.causes;
  return [...states]
    .filter(([step, { state }]) => state !== 'complete' && !isPerCluster(step))
    .map(([step, state]) => ({
      step,
      message: causes.get(step)?.message ?? reasonOf(state, waiting.get(step)),
    }));
};

/** Without the Karmada API, nothing is known about the objects in it. */
const unread = ({ snapshot: { controlPlane: seen } }: Seen): readonly Unfinished[] =>
  seen.state === 'ready'
    ? []
    : [{ step: 'rbac', message: seen.unobserved?.message ?? `the control plane: ${seen.message}` }];

const removals = ({ actions }: Plan): readonly Unfinished[] =>
  ofKind(actions, 'remove')
    .filter(({ isUnawaited }) => isUnawaited !== true)
    .map(({ object }) => ({
      step: 'removal',
      message: `${object.kind} ${object.metadata.name} is being deleted`,
    }));
