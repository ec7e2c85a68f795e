/** How far every step of an instance is: pure, from what is wanted and what is there. */
import { lackOfArchive } from '../archives/outcome.ts';
import type { ComponentName, Step } from '../components/component.ts';
import { COMPONENTS, EDGES } from '../components/registry.ts';
import { isWorkload } from '../components/workload.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { Desired, DesiredObject } from './desired.ts';
import { byIdentity, conditionOf, nameOf } from './objects.ts';
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
  snapshot: Pick<Snapshot, 'host' | 'controlPlane' | 'archive'>,
): StepStates {
  const live = {
    host: byIdentity(snapshot.host.objects),
    controlPlane: byIdentity(snapshot.controlPlane.objects),
  };
  const states = new Map<Step, StepState>();
  for (const wanted of desired.objects) {
    const before = states.get(wanted.step) ?? COMPLETE;
    const state = objectState(wanted, live[wanted.place].get(wanted.id));
    states.set(wanted.step, before.state === 'complete' ? state : before);
  }
  // Without an archive nobody knows which CRDs there should be, so they are never complete.
  const lack = lackOfArchive(snapshot.archive);
  if (lack !== undefined) states.set('crds', { state: 'missing', message: lack });
  return states;
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
  return { state: 'progressing', message: `${what} is not ${condition} yet: ${why}` };
}

/** Condition that says an object inside the control plane works. */
const READY_CONDITION: Readonly<Record<string, string>> = {
  CustomResourceDefinition: 'Established',
  APIService: 'Available',
};

/** Steps that must be complete before this one may begin and are not. */
export function openDependencies(step: Step, states: StepStates): readonly Step[] {
  return EDGES[step].filter((before) => {
    const state = states.get(before);
    return state !== undefined && state.state !== 'complete';
  });
}
