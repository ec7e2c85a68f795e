/** How etcd's pods are: pure. */
import { conditionOf, isEnding, type KubernetesObject } from '../../kubernetes/object.ts';
import { COMPONENT } from '../../api/labels.ts';

/** Pods of etcd, of all pods of an instance. */
export const membersOf = (pods: readonly KubernetesObject[]): readonly KubernetesObject[] =>
  pods.filter((pod) => pod.metadata.labels?.[COMPONENT] === 'etcd');

interface ContainerState {
  readonly restartCount?: number;
  readonly state?: { readonly running?: object; readonly terminated?: object };
  readonly lastState?: { readonly terminated?: object };
}

/** Containers of a pod as its node tells of them; none for a pod that is on no node, or of which nobody told yet. */
const containersOf = (pod: KubernetesObject): readonly ContainerState[] =>
  (pod['status'] as { containerStatuses?: readonly ContainerState[] } | undefined)
    ?.containerStatuses ?? [];

/** Whether its node says that nothing in it runs, or no node would take it. Silence says neither. */
export function isDown(pod: KubernetesObject): boolean {
  const containers = containersOf(pod);
  if (containers.length === 0) return conditionOf(pod, 'PodScheduled')?.status === 'False';
  return containers.every(({ state }) => state !== undefined && state.running === undefined);
}

/** Whether nothing in it has ever run, so that nothing can be in it. */
export function neverRan(pod: KubernetesObject): boolean {
  const begun = ({ restartCount = 0, state, lastState }: ContainerState): boolean =>
    restartCount > 0 || state?.terminated !== undefined || lastState?.terminated !== undefined;
  return isDown(pod) && !containersOf(pod).some(begun);
}

export const serves = (pod: KubernetesObject): boolean =>
  !isEnding(pod) && conditionOf(pod, 'Ready')?.status === 'True';

/** Label that the StatefulSet controller gives its pods. */
const REVISION = 'controller-revision-hash';

/** Whether a pod is of that revision of its StatefulSet. */
export const isCurrent = (pod: KubernetesObject, revision: string): boolean =>
  pod.metadata.labels?.[REVISION] === revision;
