/** Explains why a component is not ready, with the action to take: pure. */
import { factsByName, type ComponentName } from '../../api/component-catalog.ts';
import type { DefaultedSpec } from '../../api/defaults.ts';
import { COMPONENT } from '../../api/labels.ts';
import { podFieldsOf } from '../../api/pod-settings.ts';
import type { StringMap } from '../../api/settings.ts';
import type { Component } from '../../components/component.ts';
import { isWorkload } from '../../components/workload.ts';
import { conditionOf, nameOf, type KubernetesObject } from '../../kubernetes/object.ts';
import { firstCause, type Cause, type Subject, type Surroundings } from './cause.ts';
import { containersOf } from './containers.ts';
import { eventsOf } from './event-facts.ts';
import { examinedPods } from './examined-pods.ts';
import { exitCause } from './exits.ts';
import { podEventCause, probeCause } from './pod-events.ts';
import { createQuoter, pathsIn } from './quote.ts';
import { refusalCause } from './refusals.ts';
import { endedPodCause, nodeCause, schedulingCause } from './scheduling.ts';
import { slowCause, waitingCause } from './waiting.ts';

const KEY = factsByName('key');

/** Path of the settings of a component. */
const fieldOf = (name: ComponentName): string =>
  name === 'etcd' ? 'spec.components.etcd.local' : `spec.components.${KEY[name]}`;

interface OwnFlags {
  readonly extraArgs?: StringMap;
}

/** Describes a component whose Pods are explained. @param objects live objects of the control plane */
export function subjectOf(
  { name, readiness, settings }: Pick<Component, 'name' | 'readiness' | 'settings'>,
  spec: DefaultedSpec,
  objects: readonly KubernetesObject[],
): Subject {
  const workload = objects.find(
    ({ kind, metadata }) => kind === readiness.kind && metadata.labels?.[COMPONENT] === name,
  );
  const { extraArgs = {} } = (settings(spec) ?? {}) as OwnFlags;
  const { env = [] } = podFieldsOf(spec.podSettings, KEY[name]);
  return {
    ...{ name, field: fieldOf(name), flags: Object.keys(extraArgs) },
    quoter: createQuoter(() => [
      ...Object.values(extraArgs),
      ...env.map(({ value = '' }) => value),
    ]),
    paths: () => pathsIn(Object.values(extraArgs)),
    workload: workload !== undefined && isWorkload(workload) ? workload : undefined,
  };
}

/** Returns why a component is not ready; undefined if nothing is known but its progress. */
export function componentCause(subject: Subject, seen: Surroundings): Cause | undefined {
  return (
    refused(subject, seen) ??
    firstCause(examinedPods(seen.pods, subject.name), (pod) => podCause(pod, subject, seen))
  );
}

/**
 * Workload that cannot create Pods. A Deployment has a condition about it; the controller of a StatefulSet reports it in
 * an Event only, which counts until a Pod was created after it.
 */
function refused({ workload, quoter }: Subject, { events, pods }: Surroundings): Cause | undefined {
  if (workload === undefined) return undefined;
  const failure = conditionOf(workload, 'ReplicaFailure');
  if (failure?.status === 'True')
    return refusalCause(
      nameOf(workload),
      failure.message ?? failure.reason ?? 'no message',
      quoter,
    );
  const event = eventsOf(events, workload).find(({ reason }) => reason === 'FailedCreate');
  const own = pods.filter(
    ({ metadata }) => metadata.labels?.[COMPONENT] === workload.metadata.labels?.[COMPONENT],
  );
  if (event === undefined || own.some((pod) => createdAt(pod) > event.lastAt)) return undefined;
  return refusalCause(nameOf(workload), event.note, quoter);
}

const createdAt = ({ metadata }: KubernetesObject): number =>
  Date.parse(metadata.creationTimestamp ?? '') || 0;

function podCause(pod: KubernetesObject, subject: Subject, seen: Surroundings): Cause | undefined {
  const places = containersOf(pod, subject).map((container) => ({ pod, container, subject }));
  const causes: readonly (() => Cause | undefined)[] = [
    () => firstCause(places, (place) => waitingCause(place) ?? exitCause(place, seen.now)),
    () => schedulingCause(pod, subject, seen),
    () => (isStarting(pod) ? podEventCause(pod, subject, seen) : undefined),
    () => probeCause(pod, subject, seen),
    () => nodeCause(pod, seen),
    () => firstCause(places, (place) => slowCause(place, seen.now)),
    () => endedPodCause(pod),
  ];
  return firstCause(causes, (cause) => cause());
}

interface PodStatus {
  readonly containerStatuses?: readonly { readonly state?: { readonly waiting?: object } }[];
}

/** Whether the kubelet still prepares a Pod, so that Events about its volumes and its sandbox apply. */
function isStarting(pod: KubernetesObject): boolean {
  const { containerStatuses = [] } = (pod['status'] ?? {}) as PodStatus;
  return (
    containerStatuses.length === 0 ||
    containerStatuses.some(({ state }) => state?.waiting !== undefined)
  );
}
