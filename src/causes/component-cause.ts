/** Explains why a component is not ready, with the action to take: pure. */
import type { DefaultedSpec } from '../api/defaults/defaults.ts';
import { COMPONENT } from '../api/labels.ts';
import type { Component } from '../components/component.ts';
import { isWorkload, type Workload } from '../components/workload.ts';
import { conditionOf, nameOf, type KubernetesObject } from '../kubernetes/objects/object.ts';
import type { Pod } from '../kubernetes/objects/pod-kinds.ts';
import { firstCause, type Cause, type Subject, type Surroundings } from './cause.ts';
import { containersOf } from './containers.ts';
import { eventsOf } from './event-facts.ts';
import { examinedPods } from './examined-pods.ts';
import { withoutConsequence } from './consequences.ts';
import { exitCause, type ExaminedContainer } from './exits.ts';
import { createdAt } from './order.ts';
import { podEventCause, probeCause } from './pod-events.ts';
import { settingsField } from './pod-remedies.ts';
import { createQuoter } from './quote.ts';
import type { RedactionOf } from './redactions.ts';
import { refusalCause } from './refusals.ts';
import { endedPodCause, nodeCause, schedulingCause } from './scheduling.ts';
import { userFlags, userSettings } from './user-settings.ts';
import { pathsIn, type Setting } from './vocabulary.ts';
import { slowCause, waitingCause } from './waiting.ts';

/** The control plane of a component. */
interface Whole {
  /** Spec that applies. */
  readonly spec: DefaultedSpec;
  /** Spec that failed before a rollback. Some Pods may still have it. */
  readonly target?: DefaultedSpec | undefined;
  /** Live objects of the control plane. */
  readonly objects: readonly KubernetesObject[];
}

type Explained = Pick<Component, 'name' | 'readiness' | 'settings'>;

/** Describes a component whose Pods are explained. @param redactionOf for the settings of this control plane, see `allSettings` */
export function subjectOf(component: Explained, whole: Whole, redactionOf: RedactionOf): Subject {
  const { name } = component;
  const flags = userFlags(component, whole.spec);
  return {
    name,
    field: settingsField(name),
    flags: flags.map((flag) => flag.name),
    workload: workloadOf(component, whole),
    quoter: createQuoter(() => redactionOf(name)),
    paths: () => pathsIn(flags),
  };
}

/** Returns what a user sets for the Pods of each component that is enabled or still has a workload, without reading it. */
export function* allSettings(
  components: readonly Explained[],
  whole: Whole,
): Generator<readonly [component: string, settings: Iterable<Setting>]> {
  const specs = whole.target === undefined ? [whole.spec] : [whole.spec, whole.target];
  for (const component of components) {
    const workload = workloadOf(component, whole);
    if (workload !== undefined || specs.some((spec) => component.settings(spec) !== undefined))
      yield [component.name, userSettings(component, specs, workload)];
  }
}

/** Returns the live workload of a component. */
export function workloadOf(
  { name, readiness }: Explained,
  { objects }: Pick<Whole, 'objects'>,
): Workload | undefined {
  const found = objects.find(
    ({ kind, metadata }) => kind === readiness.kind && metadata.labels?.[COMPONENT] === name,
  );
  return found !== undefined && isWorkload(found) ? found : undefined;
}

/** Returns why a component is not ready; undefined if nothing is known but its progress. */
export function componentCause(subject: Subject, seen: Surroundings): Cause | undefined {
  return (
    refused(subject, seen) ??
    firstCause(examinedPods(seen.pods, subject.name), (pod) => podCause(pod, subject, seen))
  );
}

/** API servers record no parts of a second of a creation. */
const SECOND_MS = 1_000;

/**
 * Workload that cannot create Pods. A Deployment has a condition about it; the controller of a StatefulSet reports it in
 * an Event only, which counts until a Pod was created after it.
 */
function refused(subject: Subject, { events, pods }: Surroundings): Cause | undefined {
  const { workload } = subject;
  if (workload === undefined) return undefined;
  const failure = conditionOf(workload, 'ReplicaFailure');
  if (failure?.status === 'True')
    return refusalCause(
      nameOf(workload),
      failure.message ?? failure.reason ?? 'no message',
      subject,
    );
  const event = eventsOf(events, workload).find(({ reason }) => reason === 'FailedCreate');
  const own = pods.filter(
    ({ metadata }) => metadata.labels?.[COMPONENT] === workload.metadata.labels?.[COMPONENT],
  );
  if (event === undefined || own.some((pod) => createdAt(pod) + SECOND_MS > event.lastAt))
    return undefined;
  return refusalCause(nameOf(workload), event.note, subject);
}

function podCause(pod: Pod, subject: Subject, seen: Surroundings): Cause | undefined {
  const examined = containersOf(pod, subject).map((container) => ({ pod, container, subject }));
  const causes: readonly (() => Cause | undefined)[] = [
    () => firstCause(examined, (one) => containerCause(one, seen)),
    () => schedulingCause(pod, subject, seen),
    () => (isStarting(pod) ? podEventCause(pod, subject, seen) : undefined),
    () => probeCause(pod, subject, seen),
    () => nodeCause(pod, seen),
    () => firstCause(examined, (one) => slowCause(one, seen.now)),
    () => endedPodCause(pod),
  ];
  return firstCause(causes, (cause) => cause());
}

const containerCause = (examined: ExaminedContainer, seen: Surroundings): Cause | undefined =>
  withoutConsequence(waitingCause(examined) ?? exitCause(examined, seen.now), seen);

/** Whether the kubelet still prepares a Pod, so that Events about its volumes and its sandbox apply. */
function isStarting(pod: Pod): boolean {
  const { containerStatuses = [] } = pod.status ?? {};
  return (
    containerStatuses.length === 0 ||
    containerStatuses.some(({ state }) => state?.waiting !== undefined)
  );
}
