/** How far every step of an instance is: pure, from what is wanted and what is there. */
import { lackOfArchive } from '../archives/outcome.ts';
import type { ComponentName, Step } from '../components/component.ts';
import { COMPONENTS, EDGES, UPGRADE_STAGES } from '../components/registry.ts';
import { isWorkload } from '../components/workload.ts';
import { byIdentity, conditionOf, nameOf, type KubernetesObject } from '../kubernetes/object.ts';
import type { Desired, DesiredObject } from './desired.ts';
import { appliedState, COMPLETE, rolloutState, type StepState } from './rollout.ts';
import type { Snapshot } from './snapshot.ts';

export type StepStates = ReadonlyMap<Step, StepState>;

const COMPONENT_NAMES: ReadonlySet<string> = new Set(COMPONENTS.map(({ name }) => name));

/** Whether a step is the pods of a component, and not objects inside the control plane. */
export function isComponent(step: Step): step is ComponentName {
  return COMPONENT_NAMES.has(step);
}

/** State of each step this instance has. */
export function stepStates(
  desired: Desired,
  snapshot: Pick<Snapshot, 'host' | 'controlPlane' | 'archive' | 'etcd'>,
): StepStates {
  const live = {
    host: byIdentity(snapshot.host.objects),
    controlPlane: byIdentity(snapshot.controlPlane.objects),
  };
  const states = new Map<Step, StepState>();
  for (const wanted of desired.objects) {
    const before = states.get(wanted.step) ?? COMPLETE;
    const state = objectState(wanted, live[wanted.place].get(wanted.id));
    states.set(wanted.step, worse(before, state));
  }
  // Without an archive nobody knows which CRDs there should be, so they are never complete.
  const lack = lackOfArchive(snapshot.archive);
  if (lack !== undefined) states.set('crds', { state: 'missing', message: lack, serves: false });
  const split = snapshot.etcd?.splitBrain;
  if (split !== undefined && states.has('etcd'))
    states.set('etcd', { state: 'progressing', message: split.message, serves: true });
  return states;
}

/** The first that is not complete, and before that one which does not serve at all. */
function worse(before: StepState, state: StepState): StepState {
  if (before.state === 'complete') return state;
  return before.serves && !state.serves ? state : before;
}

function objectState(wanted: DesiredObject, live: KubernetesObject | undefined): StepState {
  const what = nameOf(wanted.object);
  if (isWorkload(wanted.object)) return rolloutState(live, wanted.hash, what);
  const applied = appliedState(live, wanted.hash, what);
  if (applied.state !== 'complete' || live === undefined) return applied;
  const condition = READY_CONDITION[wanted.object.kind];
  if (condition === undefined) return COMPLETE;
  const found = conditionOf(live, condition);
  if (found?.status === 'True') return COMPLETE;
  const why = found?.message ?? 'its state is not known yet';
  const message = `${what} is not ${condition} yet: ${why}`;
  return { state: 'progressing', message, serves: false };
}

/** Condition that says an object inside the control plane works. */
const READY_CONDITION: Readonly<Record<string, string>> = {
  CustomResourceDefinition: 'Established',
  APIService: 'Available',
};

/** Whether the instance has the step and it is not done. */
export const isOpen = (step: Step, states: StepStates): boolean => {
  const state = states.get(step);
  return state !== undefined && state.state !== 'complete';
};

/** What changes with the release, and would ask an older server for what it does not know. */
const OF_RELEASE: ReadonlySet<Step> = new Set(['crds', 'webhook-configurations']);

/**
 * Steps that this one needs and that are not there. What serves is enough, even when it is still to become another, so
 * that what somebody deletes in the middle of an upgrade does not wait for its end.
 */
export function openDependencies(step: Step, states: StepStates): readonly Step[] {
  return EDGES[step].filter(
    (before) =>
      isOpen(before, states) && (OF_RELEASE.has(step) || states.get(before)?.serves !== true),
  );
}

/** Whether a step is there and works. */
export const isServing = (step: Step, states: StepStates): boolean =>
  states.get(step)?.serves === true;

const STAGE: ReadonlyMap<Step, number> = new Map(
  UPGRADE_STAGES.flatMap((steps, stage) => steps.map((step) => [step, stage] as const)),
);

/** Whether what is there of a step is changed only in its turn. */
export const hasTurn = (step: Step): boolean => STAGE.has(step);

/**
 * Steps of earlier stages that are not done, so that what runs of this one is not changed yet. What is held back for
 * safety's sake holds nothing else up.
 */
export function openStages(
  step: Step,
  states: StepStates,
  held: ReadonlySet<string>,
): readonly Step[] {
  const earlier = UPGRADE_STAGES.slice(0, STAGE.get(step) ?? 0).flat();
  return earlier.filter((before) => isOpen(before, states) && !held.has(before));
}

/** All that a step waits for, as far as it has something left to do. */
export function waitsFor(
  step: Step,
  states: StepStates,
  held: ReadonlySet<string>,
): readonly Step[] {
  const dependencies = openDependencies(step, states);
  if (states.get(step)?.state !== 'outdated') return dependencies;
  return [...new Set([...openStages(step, states, held), ...dependencies])];
}
