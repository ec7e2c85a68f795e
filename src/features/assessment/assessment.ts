/** Summarizes one reconcile, per component: what is incomplete, what failed and why. Pure functions. */
import type { Problem } from '../../api/problem.ts';
import { wantedVersions } from '../../api/wanted-versions.ts';
import { ofKind } from '../../actions/action.ts';
import { archiveProblem } from '../../crd-archives/outcome.ts';
import type { Component, ComponentName, Step } from '../../components/component.ts';
import { COMPONENTS } from '../../components/registry.ts';
import type { RolloutTurn } from '../operator-rollout/rollout-order.ts';
import { identity, byIdentity } from '../../kubernetes/object.ts';
import { errorsText, liveKey, type ExecutionResult } from '../../actions/execution-result.ts';
import { FailedWebhookError } from '../../control-plane-access/failed-webhook.ts';
import type { FailedReadiness } from '../../control-plane-access/readiness-gate.ts';
import { CONDITION_TYPE } from '../../conditions/condition-types.ts';
import { appliedChanges } from './applied-changes.ts';
import type { ConditionDraft } from '../../conditions/conditions.ts';
import type { DesiredObjects } from '../../instance/desired-objects.ts';
import { ETCD_PENDING, obstacleOf } from '../external-etcd/external-etcd.ts';
import { estimatorConditions, isEstimators } from '../member-access/estimators.ts';
import { componentCauses, failuresIn } from '../causes/component-causes.ts';
import type { Redactions } from '../../causes/redactions.ts';
import type { Cause } from '../../causes/cause.ts';
import type { Plan } from '../components/plan.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import { awaitedAddress } from '../certificates/pki-inputs.ts';
import { dataProblem } from './data-problem.ts';
import { etcdHealth, UNASKED } from './etcd-health.ts';
import { withMemberStep } from '../etcd-members/read-facts.ts';
import { withObjects, type CertificatesView, type Snapshot } from '../../instance/snapshot.ts';
import { propagationProblem } from '../propagation/propagation.ts';
import { stepStates, type StepStates } from '../components/steps.ts';
import type { Waiting } from '../components/write-gates.ts';
import { awaitedBackup, type BackupStep } from '../../instance/upgrade-backup.ts';
import { stoppedProblem } from './stopped-component.ts';
import { isEffect, reasonOf } from './waiting-steps.ts';

/** Reason of a reconcile in which API calls failed that the next reconcile retries. */
const FAILED_CALL = 'Error';

/** Reasons of failed calls that the operator repeats. */
export const RETRIED: ReadonlySet<string> = new Set([
  FAILED_CALL,
  'UserWebhookFails',
  'WebhookRefusesObjects',
]);

type Extra = 'certificates' | 'removal' | 'serving' | 'exposure' | 'next-release';

interface Unfinished {
  readonly step: Step | BackupStep | Extra;
  readonly message: string;
}

export interface Assessment {
  readonly snapshot: Snapshot;
  readonly view: CertificatesView | undefined;
  readonly states: StepStates;
  /** By step, why the plan does not write its objects now. */
  readonly waiting: ReadonlyMap<Step, Waiting>;
  readonly unfinished: readonly Unfinished[];
  /** First problem that requires user action or a retry. */
  readonly problem: Problem | undefined;
  /** Why components are not ready, as far as it is known. Uncertain causes are no problems yet. */
  readonly causes: ReadonlyMap<ComponentName, Cause>;
  readonly certificateProblem: Problem | undefined;
  /** Condition of the estimators, which do not count for the readiness of the control plane. */
  readonly estimators: readonly ConditionDraft[];
  /** Whether Pods roll, or wait to roll, for a new version of the operator. */
  readonly rollout: RolloutTurn;
  /** First blocked change. */
  readonly blocked: BlockedChange | undefined;
  /** Progress of a control plane that is not ready. `lastAt`: wall clock in milliseconds. */
  readonly progress?: { readonly lastAt: number; readonly isOverdue: boolean };
}

export interface AssessInput {
  readonly snapshot: Snapshot;
  readonly desired: DesiredObjects | undefined;
  readonly view: CertificatesView | undefined;
  readonly plan: Plan;
  readonly outcome: ExecutionResult;
  readonly certificateProblem: Problem | undefined;
  readonly rollout?: RolloutTurn;
  /** Of earlier assessments of the same Karmada. */
  readonly redactions?: Redactions;
}

/** Assesses the control plane as it is after the plan was executed. */
export function assess(input: AssessInput): Assessment {
  const { plan, outcome, desired, view, certificateProblem } = input;
  const snapshot = withMemberStep(withExecutionResult(input.snapshot, outcome));
  const states = desired === undefined ? new Map() : stepStates(desired, snapshot);
  const causes = componentCauses(snapshot, input.redactions);
  const blockedChanges = plan.blockedChanges.filter(({ step }) => step !== 'prune');
  const { waiting = new Map() } = plan;
  return {
    snapshot,
    view,
    states,
    waiting,
    unfinished: [
      ...unfinishedOf({ states, waiting, view, snapshot, causes }, plan),
      ...exposureOf(view, snapshot),
    ],
    problem: firstProblem(input, causes),
    causes,
    certificateProblem,
    estimators: estimatorConditions(snapshot, desired, outcome),
    blocked: blockedChanges[0],
    rollout: input.rollout ?? { turn: 'go' },
  };
}

/** Whether no step is incomplete, no problem was found and no change is blocked. */
export function isComplete({ unfinished, problem, blocked }: Assessment): boolean {
  return unfinished.length === 0 && problem === undefined && blocked === undefined;
}

/** Adds the messages of failed readiness checks to the assessment of a control plane with complete steps. */
export function withFailedReadiness(
  assessment: Assessment,
  { sentences, problem = assessment.problem }: Pick<FailedReadiness, 'sentences' | 'problem'>,
): Assessment {
  const unanswered = sentences.map((message) => ({ step: 'serving' as const, message }));
  return { ...assessment, problem, unfinished: [...assessment.unfinished, ...unanswered] };
}

/** Adds the Karmada releases that follow to the assessment: the control plane is not ready before the last one. */
export function withNextReleases(assessment: Assessment): Assessment {
  const { nextReleases = [], spec } = assessment.snapshot;
  if (nextReleases.length === 0) return assessment;
  const { karmada = '' } = wantedVersions(spec);
  const message = `upgrade of Karmada to ${karmada}; ${nextReleases.join(' and ')} follow`;
  const next = { step: 'next-release' as const, message };
  return { ...assessment, unfinished: [...assessment.unfinished, next] };
}

/** Whether a release on the way to the requested one is complete. */
export function completesRelease({
  unfinished,
  problem,
  blocked,
}: Pick<Assessment, 'unfinished' | 'problem' | 'blocked'>): boolean {
  const onlyNext = unfinished.length > 0 && unfinished.every(({ step }) => step === 'next-release');
  return onlyNext && problem === undefined && blocked === undefined;
}

/** Replaces cached objects of the snapshot by the responses of this reconcile's writes, which are newer. */
export function withExecutionResult(snapshot: Snapshot, outcome: ExecutionResult): Snapshot {
  return withObjects(snapshot, (cluster, objects) => {
    const known = new Map(byIdentity(objects));
    for (const [key, object] of outcome.live)
      if (key === liveKey(cluster, identity(object))) known.set(identity(object), object);
    return [...known.values()];
  });
}

/** Whether a component runs once. One with a replica per member cluster has a condition of its own. */
const isSingle = ({ perCluster }: Component): boolean => perCluster === undefined;

const isCopied = (step: Step): boolean =>
  COMPONENTS.some((component) => component.name === step && !isSingle(component));

function firstProblem(
  { snapshot, outcome, certificateProblem }: AssessInput,
  causes: ReadonlyMap<ComponentName, Cause>,
): Problem | undefined {
  const write = outcome.problems.find(({ step }) => !isCopied(step));
  // While etcd is recovered, its members and clients are not ready; the recovery says what it waits for.
  const [component] = snapshot.etcdBirth?.recovery === undefined ? failuresIn(causes) : [];
  const own = certificateProblem ?? dataProblem(snapshot) ?? write ?? component;
  const other = snapshot.controlPlane.problem ?? archiveProblem(snapshot.archive);
  return own ?? other ?? failedCalls(outcome) ?? propagationProblem(snapshot);
}

/** Names a webhook that is the cause of a failed call, otherwise the calls. */
function failedCalls({ errors }: ExecutionResult): Problem | undefined {
  if (errors.length === 0) return undefined;
  const webhook = errors.find((error) => error instanceof FailedWebhookError);
  return webhook?.problem ?? { reason: FAILED_CALL, message: errorsText(errors) };
}

function unfinishedOf(
  seen: Pick<Assessment, 'states' | 'waiting' | 'view' | 'snapshot' | 'causes'>,
  plan: Plan,
): readonly Unfinished[] {
  const { states, waiting, view, snapshot } = seen;
  const causes: ReadonlyMap<Step, Cause> = seen.causes;
  const { controlPlane } = snapshot;
  if (obstacleOf(snapshot) !== undefined) return [{ step: 'etcd', message: ETCD_PENDING }];
  if (view === undefined)
    return [{ step: 'certificates', message: 'the certificates are being issued' }];
  const open = [...states]
    .filter(([step, { state }]) => state !== 'complete' && !isCopied(step))
    .map(([step, state]) => ({
      step,
      message: causes.get(step)?.message ?? reasonOf(state, waiting.get(step)),
    }));
  const removed = ofKind(plan.actions, 'remove').filter(({ object }) => !isEstimators(object));
  const removals = removed.map(({ object }) => ({
    step: 'removal' as const,
    message: `${object.kind} ${object.metadata.name} is being deleted`,
  }));
  const unread =
    controlPlane.state === 'ready'
      ? []
      : [{ step: 'rbac' as const, message: unreadText(controlPlane) }];
  // Steps that wait for others are listed only if nothing else is incomplete: users need the cause, not its effects.
  const effects = open.filter(({ step }) => isEffect(waiting.get(step)));
  const unasked =
    etcdHealth(snapshot).state === 'pending' ? [{ step: 'etcd' as const, message: UNASKED }] : [];
  const listed = open.filter((item) => !effects.includes(item));
  const applied = open.length > 0 ? [] : appliedChanges(snapshot, plan).filter(isCounted);
  const backup = awaitedBackup(snapshot);
  const active = [...unread, ...unasked, ...backup, ...listed, ...removals, ...applied];
  return active.length > 0 ? active : effects;
}

const isCounted = ({ step }: { readonly step: Step }): boolean => !isCopied(step);

const unreadText = ({ unobserved, message }: Snapshot['controlPlane']): string =>
  unobserved?.message ?? `the control plane: ${message}`;

/** Reports a missing external address: the operator cannot issue the admin kubeconfig without one. */
function exposureOf(view: CertificatesView | undefined, snapshot: Snapshot): readonly Unfinished[] {
  if (view?.addressAwaited !== true) return [];
  return [{ step: 'exposure', message: awaitedAddress(snapshot) }];
}

/** Returns one condition for each component of the control plane. */
export function componentFindings(assessment: Assessment): readonly ConditionDraft[] {
  const { snapshot, states, waiting, causes } = assessment;
  return COMPONENTS.filter(isSingle).flatMap(({ name }): readonly ConditionDraft[] => {
    const state = states.get(name);
    if (state === undefined) return [];
    const type = CONDITION_TYPE[name];
    const stopped = stoppedProblem(name, snapshot);
    if (stopped !== undefined) return [{ type, status: 'False', ...stopped }];
    if (state.state === 'complete')
      return [{ type, status: 'True', reason: 'Available', message: '' }];
    const { reason, message } = causes.get(name) ?? {
      reason: 'Progressing',
      message: reasonOf(state, waiting.get(name)),
    };
    return [{ type, status: 'False', reason, message }];
  });
}
