/** State of etcd Pods: pure. */
import {
  conditionOf,
  isTerminating,
  type KubernetesObject,
} from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { parseTime } from '../../kubernetes/time/time.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { EtcdView } from '../../etcd/view.ts';

/** Filters the etcd Pods of a control plane. */
export const etcdPods = (pods: readonly Pod[]): readonly KubernetesObject[] =>
  pods.filter((pod) => pod.metadata.labels?.[COMPONENT] === 'etcd');

/** How a container ended. */
interface Exit {
  readonly exitCode?: number;
  /** End of its output, if it failed. */
  readonly message?: string;
}

interface ContainerState {
  readonly name?: string;
  readonly restartCount?: number;
  readonly state?: {
    readonly running?: object;
    readonly waiting?: { readonly reason?: string };
    readonly terminated?: Exit;
  };
  readonly lastState?: { readonly terminated?: Exit };
}

/** Container statuses reported by the kubelet; empty for an unscheduled or not yet reported Pod. */
const containersOf = (pod: Pod): readonly ContainerState[] => pod.status?.containerStatuses ?? [];

/**
 * Whether the kubelet reports that no container runs, or the Pod is unschedulable. A missing status proves neither.
 */
export function isDown(pod: Pod): boolean {
  const containers = containersOf(pod);
  if (containers.length === 0) return conditionOf(pod, 'PodScheduled')?.status === 'False';
  return containers.every(({ state }) => state !== undefined && state.running === undefined);
}

/** Whether no container of the Pod has ever run, so that it cannot contain data. */
export function neverRan(pod: Pod): boolean {
  const begun = (container: ContainerState): boolean =>
    (container.restartCount ?? 0) > 0 || lastExitOf(container) !== undefined;
  return isDown(pod) && !containersOf(pod).some(begun);
}

const lastExitOf = ({ state, lastState }: ContainerState): Exit | undefined =>
  state?.terminated ?? lastState?.terminated;

/** Whether the kubelet waits before it starts a container again that has ended. */
const isCrashLooping = (pod: Pod): boolean =>
  containersOf(pod).some(({ state }) => state?.waiting?.reason === 'CrashLoopBackOff');

/** Whether a container of the Pod has ended, now or before its last start. */
export const hasEnded = (pod: Pod): boolean =>
  isCrashLooping(pod) || containersOf(pod).some((container) => lastExitOf(container) !== undefined);

/** Number of restarts of the etcd container. */
export const restartsOf = (pod: Pod): number =>
  containersOf(pod).reduce((most, { restartCount = 0 }) => Math.max(most, restartCount), 0);

/** How etcd ended last; undefined if its container runs, or has never ended. */
export function exitOf(pod: Pod): Exit | undefined {
  const etcd = containersOf(pod).find(({ name }) => name === 'etcd');
  if (etcd === undefined || etcd.state?.running !== undefined) return undefined;
  return lastExitOf(etcd);
}

/**
 * Whether the kubelet has never reported a Pod as Ready: it set the condition when it acknowledged the Pod, and not since.
 * Both times are of the same clock. A missing time is no proof.
 */
export function wasNeverReady(pod: Pod): boolean {
  const { startTime = '' } = pod.status ?? {};
  const { status, lastTransitionTime = '' } = conditionOf(pod, 'Ready') ?? {};
  return status === 'False' && parseTime(lastTransitionTime) <= parseTime(startTime);
}

export const serves = (pod: Pod): boolean =>
  !isTerminating(pod) && conditionOf(pod, 'Ready')?.status === 'True';

/** Whether the operator has not queried the member in a ready Pod yet, such as right after its start. */
export function awaitsFirstQuery(
  pods: readonly Pod[],
  { silent, answers }: Pick<EtcdView, 'silent' | 'answers'>,
): boolean {
  const asked = new Set([...silent, ...answers].map(({ pod }) => pod));
  return etcdPods(pods).some((pod) => serves(pod) && !asked.has(pod.metadata.name));
}

/**
 * Returns whether the member in a Pod has responded since the Pod is not ready. The kubelet reports a start and a ready Pod up
 * to some seconds later.
 */
export function respondedSince({ answers }: Pick<EtcdView, 'answers'>): (pod: Pod) => boolean {
  const unready = answers.filter(({ podReady }) => podReady === false);
  const names = new Set(unready.map(({ pod }) => pod));
  return (pod) => !isTerminating(pod) && names.has(pod.metadata.name);
}

/** Label that the StatefulSet controller sets on its Pods. */
const REVISION = 'controller-revision-hash';

/** Whether a Pod has the given revision of its StatefulSet. */
export const isCurrent = (pod: Pod, revision: string): boolean =>
  pod.metadata.labels?.[REVISION] === revision;
