/** What a pass amounts to: what is unfinished, what failed and why, component by component. Pure. */
import type { Problem } from '../../api/problem.ts';
import { ofKind } from '../action.ts';
import { problemOf } from '../../archives/outcome.ts';
import type {
  Component,
  ComponentName,
  ControlPlaneStep,
  Step,
} from '../../components/component.ts';
import { COMPONENTS } from '../../components/registry.ts';
import type { Turn } from '../operator-rollout/turn.ts';
import { identity, byIdentity } from '../../kubernetes/object.ts';
import { errorsText, liveKey, type ActOutcome } from '../outcome.ts';
import { CONDITION_TYPE } from './condition-types.ts';
import type { Finding } from './conditions.ts';
import { firstPodsProblem } from '../etcd/birth/missing-pods.ts';
import type { Desired } from '../desired.ts';
import { ETCD_PENDING, etcdProblem, obstacleOf } from '../etcd/external-etcd.ts';
import { COMPONENT } from '../../api/labels.ts';
import { estimatorFindings, isEstimators } from '../members/estimators.ts';
import type { Plan } from '../plan.ts';
import { passedOver, type Hold } from '../hold.ts';
import { awaitedAddress } from '../certificates/pki-inputs.ts';
import { etcdHealth, UNASKED } from './etcd-health.ts';
import { componentProblem } from './pod-problems.ts';
import { withObjects, type CertificatesView, type Snapshot } from '../snapshot.ts';
import { isComponent, stepStates, waitsFor, type StepStates } from '../steps.ts';

/** Reason of a pass in which calls failed that may be better next time. */
export const FAILED_CALL = 'Error';

interface Unfinished {
  readonly step: Step | 'certificates' | 'removal' | 'serving' | 'exposure';
  readonly message: string;
}

/** By step, the steps that have to be done before it goes on. */
type Waits = ReadonlyMap<Step, readonly Step[]>;

export interface Assessment {
  readonly snapshot: Snapshot;
  readonly view: CertificatesView | undefined;
  readonly states: StepStates;
  /** What each of its steps waits for, in upgrade order. */
  readonly waits: Waits;
  readonly unfinished: readonly Unfinished[];
  /** The first thing that somebody has to do something about. */
  readonly problem: Problem | undefined;
  readonly problems: ReadonlyMap<ComponentName, Problem>;
  readonly certificateProblem: Problem | undefined;
  /** What is said of the estimators, which are no part of the instance's readiness. */
  readonly estimators: readonly Finding[];
  /** Whether it rolls, or waits to roll, for a new version of the operator. */
  readonly rollout: Turn;
  /** The first change that is held back for safety's sake. */
  readonly held: Hold | undefined;
}

export interface AssessInput {
  readonly snapshot: Snapshot;
  readonly desired: Desired | undefined;
  readonly view: CertificatesView | undefined;
  readonly plan: Plan;
  readonly outcome: ActOutcome;
  readonly certificateProblem: Problem | undefined;
  readonly rollout?: Turn;
}

/** Looks at the instance as it is after the pass. */
export function assess(input: AssessInput): Assessment {
  const { plan, outcome, desired, view, certificateProblem } = input;
  const snapshot = afterwards(input.snapshot, outcome);
  const states = desired === undefined ? new Map() : stepStates(desired, snapshot);
  const problems = componentProblems(snapshot);
  const holds = plan.holds.filter(({ step }) => step !== 'prune');
  const waits = waitsOf(states, passedOver(holds), snapshot);
  return {
    snapshot,
    view,
    states,
    waits,
    unfinished: [
      ...unfinishedOf({ states, waits, view, snapshot }, plan),
      ...exposureOf(view, snapshot),
    ],
    problem: firstProblem(input, problems),
    problems,
    certificateProblem,
    estimators: estimatorFindings(snapshot, desired, outcome),
    held: holds[0],
    rollout: input.rollout ?? { turn: 'go' },
  };
}

/** Whether nothing is left to do, wrong or held back. */
export function isComplete({ unfinished, problem, held }: Assessment): boolean {
  return unfinished.length === 0 && problem === undefined && held === undefined;
}

/** The same with what a complete control plane does not answer yet. */
export function withUnanswered(assessment: Assessment, sentences: readonly string[]): Assessment {
  const unanswered = sentences.map((message) => ({ step: 'serving' as const, message }));
  return { ...assessment, unfinished: [...assessment.unfinished, ...unanswered] };
}

/** The snapshot with what the API servers returned in this pass in the place of what caches had. */
export function afterwards(snapshot: Snapshot, outcome: ActOutcome): Snapshot {
  return withObjects(snapshot, (place, objects) => {
    const known = new Map(byIdentity(objects));
    for (const [key, object] of outcome.live)
      if (key === liveKey(place, identity(object))) known.set(identity(object), object);
    return [...known.values()];
  });
}

/** Components that run once for each member tell for themselves: one member says nothing of the instance. */
const isSingle = ({ copies }: Component): boolean => copies === undefined;

const isCopied = (step: Step): boolean =>
  COMPONENTS.some((component) => component.name === step && !isSingle(component));

function componentProblems(snapshot: Snapshot): ReadonlyMap<ComponentName, Problem> {
  const { host, now, etcd } = snapshot;
  const found = new Map<ComponentName, Problem>();
  for (const { name, readiness } of COMPONENTS.filter(isSingle)) {
    const workload = host.objects.find(
      ({ kind, metadata }) => kind === readiness.kind && metadata.labels?.[COMPONENT] === name,
    );
    const problem = componentProblem(name, workload, { ...host, now });
    if (problem !== undefined) found.set(name, problem);
  }
  const firstPods = firstPodsProblem(snapshot);
  if (firstPods !== undefined && !found.has('etcd')) found.set('etcd', firstPods);
  if (etcd?.splitBrain) found.set('etcd', etcd.splitBrain);
  return found;
}

function firstProblem(
  { snapshot, outcome, certificateProblem }: AssessInput,
  problems: ReadonlyMap<ComponentName, Problem>,
): Problem | undefined {
  const write = outcome.problems.find(({ step }) => !isCopied(step));
  const [component] = problems.values();
  const archive = problemOf(snapshot.archive);
  const error =
    outcome.errors.length === 0
      ? undefined
      : { reason: FAILED_CALL, message: errorsText(outcome.errors) };
  const own = certificateProblem ?? dataProblem(snapshot) ?? write ?? component;
  return own ?? snapshot.controlPlane.problem ?? archive ?? error;
}

/** What is wrong with etcd's data, or with the way to an external one. */
const dataProblem = (snapshot: Snapshot): Problem | undefined =>
  snapshot.etcd?.splitBrain ?? snapshot.etcdBirth?.problem ?? etcdProblem(snapshot);

function waitsOf(
  states: StepStates,
  held: ReadonlySet<string>,
  { etcdBirth }: Pick<Snapshot, 'etcdBirth'>,
): Waits {
  const waits = new Map([...states.keys()].map((step) => [step, waitsFor(step, states, held)]));
  const isMissing = states.get('karmada-apiserver')?.state === 'missing';
  if (isMissing && etcdBirth?.awaited !== undefined) waits.set('karmada-apiserver', ['etcd']);
  return waits;
}

function unfinishedOf(
  { states, waits, view, snapshot }: Pick<Assessment, 'states' | 'waits' | 'view' | 'snapshot'>,
  plan: Plan,
): readonly Unfinished[] {
  const { controlPlane } = snapshot;
  if (obstacleOf(snapshot) !== undefined) return [{ step: 'etcd', message: ETCD_PENDING }];
  if (view === undefined) return [{ step: 'certificates', message: 'certificates are being made' }];
  const open = [...states]
    .filter(([step, { state }]) => state !== 'complete' && !isCopied(step))
    .map(([step, { message }]) => ({ step, message: reasonOf(step, message, waits) }));
  const removed = ofKind(plan.actions, 'remove').filter(({ object }) => !isEstimators(object));
  const removals = removed.map(({ object }) => ({
    step: 'removal' as const,
    message: `${object.kind} ${object.metadata.name} is removed`,
  }));
  const unread =
    controlPlane.state === 'ready'
      ? []
      : [{ step: 'rbac' as const, message: unreadText(controlPlane) }];
  const waiting = open.filter(({ step }) => isWaiting(step, waits));
  // What only waits for something else is summed up: that something is what the user has to look at.
  const unasked =
    etcdHealth(snapshot).state === 'pending' ? [{ step: 'etcd' as const, message: UNASKED }] : [];
  const active = [
    ...unread,
    ...unasked,
    ...open.filter((item) => !waiting.includes(item)),
    ...removals,
  ];
  return active.length > 0 ? active : waiting;
}

const unreadText = ({ unobserved, message }: Snapshot['controlPlane']): string =>
  unobserved?.message ?? `the control plane: ${message}`;

/** Without an address users have no kubeconfig, however well everything runs. */
function exposureOf(view: CertificatesView | undefined, snapshot: Snapshot): readonly Unfinished[] {
  if (view?.addressAwaited !== true) return [];
  return [{ step: 'exposure', message: awaitedAddress(snapshot) }];
}

const isWaiting = (step: Step, waits: Waits): boolean => (waits.get(step) ?? []).length > 0;

function reasonOf(step: Step, message: string, waits: Waits): string {
  const before = waits.get(step) ?? [];
  return before.length === 0 ? message : `${step} waits for ${before.map(spoken).join(', ')}`;
}

const SPOKEN: Readonly<Record<ControlPlaneStep, string>> = {
  health: 'the right to ask for its health',
  namespaces: 'its namespaces',
  crds: "Karmada's CRDs",
  rbac: 'its roles',
  bootstrap: 'what registration of members needs',
  'webhook-configurations': 'its webhook configurations',
  'cluster-api-service': 'its cluster API',
  'metrics-api-services': 'its metrics APIs',
  'search-api-service': 'its search API',
};

const spoken = (step: Step): string => (isComponent(step) ? step : SPOKEN[step]);

/** One finding for each component of the instance. */
export function componentFindings(assessment: Assessment): readonly Finding[] {
  const { states, waits, problems } = assessment;
  return COMPONENTS.filter(isSingle)
    .filter(({ name }) => states.has(name))
    .map(({ name }): Finding => {
      const state = states.get(name);
      const type = CONDITION_TYPE[name];
      if (state?.state === 'complete')
        return { type, status: 'True', reason: 'Available', message: '' };
      const problem = problems.get(name);
      const message = problem?.message ?? reasonOf(name, state?.message ?? '', waits);
      return { type, status: 'False', reason: problem?.reason ?? 'Progressing', message };
    });
}
