/** Why the pods of a component do not become ready, with the remedy: pure, from what Kubernetes says. */
import type { KubernetesObject } from '../kubernetes/object.ts';
import { COMPONENT, conditionOf, nameOf } from './objects.ts';

/** Something that does not mend by waiting. */
export interface Problem {
  /** One word in capitals and small letters, for programs. */
  readonly reason: string;
  /** The object, the cause and the remedy. */
  readonly message: string;
}

interface ContainerStatus {
  readonly name: string;
  readonly image?: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: { readonly startedAt?: string };
    readonly terminated?: { readonly exitCode?: number; readonly reason?: string };
  };
  readonly lastState?: {
    readonly terminated?: { readonly exitCode?: number; readonly reason?: string };
  };
}

const IMAGE_REMEDY =
  'check imageRepository and imageTag of the component, and that the node may pull from there';

/** Reasons a container waits for that need somebody to act. */
const WAITING: Readonly<Record<string, { readonly reason: string; readonly remedy: string }>> = {
  ImagePullBackOff: { reason: 'ImagePullFailed', remedy: IMAGE_REMEDY },
  ErrImagePull: { reason: 'ImagePullFailed', remedy: IMAGE_REMEDY },
  InvalidImageName: { reason: 'InvalidImageName', remedy: IMAGE_REMEDY },
  ErrImageNeverPull: {
    reason: 'ImageNotPresent',
    remedy: 'load the image onto the node or set another imagePullPolicy',
  },
  CrashLoopBackOff: {
    reason: 'CrashLoopBackOff',
    remedy: 'read its log with kubectl logs --previous',
  },
  CreateContainerConfigError: {
    reason: 'ContainerConfigError',
    remedy: 'what the container mounts or reads must exist',
  },
  CreateContainerError: { reason: 'ContainerError', remedy: 'see the events of the pod' },
  RunContainerError: {
    reason: 'ContainerError',
    remedy: 'see the events of the pod; extraArgs and volumes are the usual cause',
  },
};

/** A container that runs for this long without being ready is worth a word. */
const SLOW_MS = 60_000;

/**
 * The first problem of a component's pods and workload, or undefined when all that is needed is time.
 * @param now wall clock in milliseconds
 */
export function componentProblem(
  component: string,
  workload: KubernetesObject | undefined,
  pods: readonly KubernetesObject[],
  now: number,
): Problem | undefined {
  const own = pods.filter(
    (pod) =>
      pod.metadata.labels?.[COMPONENT] === component &&
      pod.metadata.deletionTimestamp === undefined,
  );
  return replicaFailure(workload) ?? firstOf(own, (pod) => podProblem(pod, now));
}

/** Pods that could not even be made, for instance for lack of quota. */
function replicaFailure(workload: KubernetesObject | undefined): Problem | undefined {
  if (workload === undefined) return undefined;
  const failure = conditionOf(workload, 'ReplicaFailure');
  if (failure?.status !== 'True') return undefined;
  const text = failure.message ?? failure.reason ?? 'no message';
  const remedy = /quota/i.test(text)
    ? 'raise the quota of the namespace or lower the resources; priorityClassName may need a quota of its own'
    : 'the namespace must admit the pod: see the message';
  return {
    reason: /quota/i.test(text) ? 'QuotaExceeded' : 'PodsRefused',
    message: `${nameOf(workload)} cannot create its pods: ${text}; ${remedy}`,
  };
}

function podProblem(pod: KubernetesObject, now: number): Problem | undefined {
  const status = (pod['status'] ?? {}) as {
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return (
    firstOf(containers, (container) => waitingProblem(pod, container)) ??
    unschedulable(pod) ??
    firstOf(containers, (container) => slowProblem(pod, container, now))
  );
}

function unschedulable(pod: KubernetesObject): Problem | undefined {
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status !== 'False' || scheduled.reason !== 'Unschedulable') return undefined;
  const text = scheduled.message ?? 'no node fits';
  const claim = /persistentvolumeclaim/i.test(text);
  const remedy = claim
    ? 'the claim must be bound: check its StorageClass'
    : 'add room to the cluster, or change resources, tolerations or affinity';
  return {
    reason: claim ? 'ClaimNotBound' : 'Unschedulable',
    message: `${nameOf(pod)} cannot be scheduled: ${text}; ${remedy}`,
  };
}

function waitingProblem(pod: KubernetesObject, container: ContainerStatus): Problem | undefined {
  const waiting = container.state?.waiting;
  const known = WAITING[waiting?.reason ?? ''];
  if (known === undefined) return undefined;
  const exit = container.lastState?.terminated;
  const ended = exit === undefined ? '' : ` (it last ended with code ${exit.exitCode ?? '?'})`;
  const image = known.remedy === IMAGE_REMEDY ? ` (image ${container.image ?? '?'})` : '';
  const text = `container ${container.name}${image} is in ${waiting?.reason}${ended}`;
  return { reason: known.reason, message: `${nameOf(pod)}: ${text}; ${known.remedy}` };
}

function slowProblem(
  pod: KubernetesObject,
  container: ContainerStatus,
  now: number,
): Problem | undefined {
  const startedAt = container.state?.running?.startedAt;
  if (container.ready !== false || startedAt === undefined) return undefined;
  const seconds = Math.floor((now - Date.parse(startedAt)) / 1000);
  if (seconds * 1000 < SLOW_MS) return undefined;
  return {
    reason: 'ProbeFails',
    message: `${nameOf(pod)}: container ${container.name} runs but its probe fails; read its log with kubectl logs`,
  };
}

function firstOf<T>(
  items: readonly T[],
  problem: (item: T) => Problem | undefined,
): Problem | undefined {
  for (const item of items) {
    const found = problem(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
