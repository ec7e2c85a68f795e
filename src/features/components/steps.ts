/** State of every step of a control plane: pure, from desired and live objects. */
import { lackOfArchive } from '../../crd-archives/outcome.ts';
import type { Step } from '../../components/component.ts';
import { INSTALL_DEPENDENCIES, UPGRADE_STAGES } from '../../components/registry.ts';
import { isWorkload } from '../../components/workload.ts';
import {
  byIdentity,
  conditionOf,
  nameOf,
  type KubernetesObject,
} from '../../kubernetes/objects/object.ts';
import type { DesiredObjects, DesiredObject } from '../../instance/desired-objects.ts';
import { memberStep } from '../etcd-members/read-facts.ts';
import { appliedState, COMPLETE, rolloutState, type StepState } from '../../components/rollout.ts';
import type { StepStates } from '../../actions/planner.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

/** Returns the state of each step of this control plane. */
export function stepStates(
  desired: DesiredObjects,
  snapshot: EtcdSubject & Pick<Snapshot, 'controlPlane' | 'archive'>,
): StepStates {
  const live = {
    host: byIdentity(snapshot.host.objects),
    controlPlane: byIdentity(snapshot.controlPlane.objects),
  };
  const states = new Map<Step, StepState>();
  for (const wanted of desired.objects) {
    const before = states.get(wanted.step) ?? COMPLETE;
    const state = objectState(wanted, live[wanted.cluster].get(wanted.id));
    states.set(wanted.step, worse(before, state));
  }
  // Without an archive the desired CRDs are unknown, so the step never completes.
  const lack = lackOfArchive(snapshot.archive);
  if (lack !== undefined) states.set('crds', { state: 'missing', message: lack, serves: false });
  const etcd = states.get('etcd');
  if (etcd !== undefined) states.set('etcd', etcdState(etcd, snapshot));
  return states;
}

/** State of a local etcd. Its members tell more than its Pods: a majority serves while others join or leave. */
function etcdState(state: StepState, snapshot: EtcdSubject): StepState {
  const { etcd } = snapshot;
  if (etcd?.splitBrain !== undefined)
    return { state: 'progressing', message: etcd.splitBrain.message, serves: true };
  const step = memberStep(snapshot);
  const serves = state.serves || etcd?.quorum === true;
  const message = 'message' in step && step.kind !== 'blocked' ? step.message : undefined;
  if (message === undefined || state.state === 'missing') return { ...state, serves };
  return { state: 'progressing', message, serves };
}

type EtcdSubject = Parameters<typeof memberStep>[0];

/** Returns the first incomplete state; a state that does not serve, or needs more than its controller, takes precedence. */
function worse(before: StepState, state: StepState): StepState {
  if (state.state === 'complete') return before;
  if (before.state === 'complete' || before.isUnobserved) return state;
  return before.serves && !state.serves ? state : before;
}

function objectState(wanted: DesiredObject, live: KubernetesObject | undefined): StepState {
  const what = nameOf(wanted.object);
  if (isWorkload(wanted.object)) return rolloutState(live, wanted.hash, what);
  const applied = appliedState(live, wanted.hash, what);
  if (OPTIONAL.has(wanted.object.kind)) return { ...applied, serves: true };
  if (applied.state !== 'complete' || live === undefined) return applied;
  const condition = READY_CONDITION[wanted.object.kind];
  if (condition === undefined) return COMPLETE;
  const found = conditionOf(live, condition);
  if (found?.status === 'True') return COMPLETE;
  const why = found?.message ?? 'not reported yet';
  const message = `${what}: condition ${condition} is not True (${why})`;
  return { state: 'progressing', message, serves: false };
}

/** Kinds without which Pods serve all the same. */
const OPTIONAL: ReadonlySet<string> = new Set(['NetworkPolicy', 'FlowSchema']);

/** Condition that reports readiness of an object in the Karmada API, by kind. */
const READY_CONDITION: Readonly<Record<string, string>> = {
  CustomResourceDefinition: 'Established',
  APIService: 'Available',
};

/** Whether the control plane has the step and it is incomplete. */
export const isIncomplete = (step: Step, states: StepStates): boolean => {
  const state = states.get(step);
  return state !== undefined && state.state !== 'complete';
};

/** Steps with resources of a Karmada release. An older server would not know them. */
const OF_RELEASE: ReadonlySet<Step> = new Set(['crds', 'webhook-configurations']);

/**
 * Dependencies that do not serve yet. A dependency that serves is sufficient even if its update is pending, so the
 * operator recreates a deleted object during an upgrade. CRDs and webhook configurations need complete dependencies,
 * except in a rollback, in which the server returns last.
 */
export function incompleteDependencies(
  step: Step,
  states: StepStates,
  isRollback: boolean,
): readonly Step[] {
  const isOfRelease = !isRollback && OF_RELEASE.has(step);
  return INSTALL_DEPENDENCIES[step].filter(
    (before) =>
      isIncomplete(before, states) && (isOfRelease || states.get(before)?.serves !== true),
  );
}

/** Whether a step serves requests. */
export const isServing = (step: Step, states: StepStates): boolean =>
  states.get(step)?.serves === true;

const STAGE: ReadonlyMap<Step, number> = new Map(
  UPGRADE_STAGES.flatMap((steps, stage) => steps.map((step) => [step, stage] as const)),
);

/** Whether changes of a step follow the upgrade stages. */
export const isStaged = (step: Step): boolean => STAGE.has(step);

/**
 * Incomplete steps of earlier stages, which delay changes of this step. Steps with a blocked change do not delay
 * others.
 */
export function incompleteStages(
  step: Step,
  states: StepStates,
  blocked: ReadonlySet<string>,
): readonly Step[] {
  const earlier = UPGRADE_STAGES.slice(0, STAGE.get(step) ?? 0).flat();
  return earlier.filter((before) => isIncomplete(before, states) && !blocked.has(before));
}
