/** How far a Pod is, and whether the kubelet works on it: pure. */
import { conditionOf } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { parseTime } from '../../kubernetes/time/time.ts';
import type { EventFact } from '../../causes/event-facts.ts';

interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly started?: boolean | null;
  readonly state?: {
    readonly waiting?: { readonly reason?: string };
    readonly running?: { readonly startedAt?: string };
  };
}

const containersOf = (pod: Pod): readonly ContainerStatus[] => pod.status?.containerStatuses ?? [];

/** Conditions of a Pod in the order in which they become True. */
const CONDITIONS = ['PodScheduled', 'PodReadyToStartContainers', 'Initialized', 'Ready'] as const;

/** Stage of a Pod, as one of a few texts. The number of its restarts is no part of it. */
export function podStage(pod: Pod | undefined): string {
  if (pod === undefined) return 'none';
  const passed = CONDITIONS.filter((type) => conditionOf(pod, type)?.status === 'True');
  const containers = containersOf(pod);
  const started = containers.filter(({ started }) => started === true).length;
  const ready = containers.filter((one) => one.ready === true).length;
  return [...passed, started, ready].join('+');
}

/** Waiting reason of a container whose image the kubelet pulls, or whose volumes it mounts. */
const CREATING = 'ContainerCreating';

/** Time in milliseconds that such work may take if the operator cannot read Events about it. */
const UNSEEN_WORK_MS = 1_800_000;

/**
 * Whether the kubelet pulls an image. It reports the end of a pull, also if the registry does not answer, so a pull
 * without a later Event is under way.
 * @param events Events of the Pod, the last one first; undefined if the operator may not read them
 * @param now wall clock in milliseconds
 */
export function isPulling(
  pod: Pod,
  events: readonly EventFact[] | undefined,
  now: number,
): boolean {
  const waiting = [...initContainersOf(pod), ...containersOf(pod)].filter(
    ({ state }) =>
      state?.waiting?.reason === CREATING || state?.waiting?.reason === 'PodInitializing',
  );
  if (waiting.length === 0) return false;
  if (events === undefined) return hasSandboxSince(pod, now - UNSEEN_WORK_MS);
  return waiting.some(({ name }) => {
    const last = events.find(({ container, reason }) => container === name && PULL.test(reason));
    return last?.reason === 'Pulling';
  });
}

const PULL = /^(?:Pulling|Pulled|Failed|BackOff|ErrImageNeverPull|InspectFailed)$/;

const initContainersOf = (pod: Pod): readonly ContainerStatus[] =>
  pod.status?.initContainerStatuses ?? [];

/** Whether a Pod has its volumes and its network since a time, so that only images can be missing. */
function hasSandboxSince(pod: Pod, time: number): boolean {
  const condition = conditionOf(pod, 'PodReadyToStartContainers');
  return condition?.status === 'True' && parseTime(condition.lastTransitionTime) > time;
}

/**
 * Whether an etcd member reads its data, which takes long if there is much. Meanwhile nothing listens on the port of its
 * startup probe. A member that waits for others responds that it is not healthy.
 * @param events Events of the Pod, the last one first; undefined if the operator may not read them
 * @param now wall clock in milliseconds
 */
export function readsData(
  pod: Pod,
  events: readonly EventFact[] | undefined,
  now: number,
): boolean {
  const etcd = containersOf(pod).find(({ name }) => name === 'etcd');
  const startedAt = parseTime(etcd?.state?.running?.startedAt);
  if (etcd?.started !== false || Number.isNaN(startedAt)) return false;
  if (events === undefined) return now - startedAt < UNSEEN_WORK_MS;
  const unhealthy = events.find(
    ({ reason, lastAt }) => reason === 'Unhealthy' && lastAt >= startedAt,
  );
  return unhealthy === undefined || /connection refused/.test(unhealthy.note);
}
