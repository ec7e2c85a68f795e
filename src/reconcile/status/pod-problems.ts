/** Why the pods of a component do not become ready, with the remedy: pure, from what Kubernetes says. */
import type { Problem } from '../../api/problem.ts';
import { conditionOf, nameOf, type KubernetesObject } from '../../kubernetes/object.ts';
import { isClaimOf } from '../etcd/claims.ts';
import { COMPONENT } from '../../api/labels.ts';

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

/** Words of registries, passed on by the kubelet, for credentials that are missing or wrong. */
const REFUSED =
  /unauthorized|forbidden|access denied|authorization failed|authentication required|no basic auth/i;
const CREDENTIALS_REMEDY =
  'the registry refuses the pull: check the user and password in the Secrets of spec.imagePullSecrets, and that the image exists';

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

/** What there is of an instance in the host cluster, as far as it can tell of a problem. */
export interface Surroundings {
  readonly pods: readonly KubernetesObject[];
  readonly claims: readonly KubernetesObject[];
  /** Wall clock in milliseconds. */
  readonly now: number;
}

/** The first problem of a component's pods and workload, or undefined when all that is needed is time. */
export function componentProblem(
  component: string,
  workload: KubernetesObject | undefined,
  { pods, claims, now }: Surroundings,
): Problem | undefined {
  const own = pods.filter(
    (pod) =>
      pod.metadata.labels?.[COMPONENT] === component &&
      pod.metadata.deletionTimestamp === undefined,
  );
  return replicaFailure(workload) ?? firstOf(own, (pod) => podProblem(pod, claims, now));
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

function podProblem(
  pod: KubernetesObject,
  claims: readonly KubernetesObject[],
  now: number,
): Problem | undefined {
  const status = (pod['status'] ?? {}) as {
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return (
    firstOf(containers, (container) => waitingProblem(pod, container)) ??
    unschedulable(pod, claims) ??
    firstOf(containers, (container) => slowProblem(pod, container, now))
  );
}

function unschedulable(
  pod: KubernetesObject,
  claims: readonly KubernetesObject[],
): Problem | undefined {
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status !== 'False' || scheduled.reason !== 'Unschedulable') return undefined;
  const text = scheduled.message ?? 'no node fits';
  const stuck = `${nameOf(pod)} cannot be scheduled: ${text}`;
  if (!/persistentvolumeclaim/i.test(text)) {
    const remedy = 'add room to the cluster, or change resources, tolerations or affinity';
    return { reason: 'Unschedulable', message: `${stuck}; ${remedy}` };
  }
  const open = claims.filter((claim) => isOpenClaim(claim, pod)).map(spokenClaim);
  const check = 'make sure that its StorageClass is there and can provide a volume';
  const remedy =
    open.length === 0
      ? `the claim must be bound: ${check}`
      : `${open.join(', ')} must be bound: ${check}, or put spec.components.etcd.local.volumeData right`;
  return { reason: 'ClaimNotBound', message: `${stuck}; ${remedy}` };
}

function isOpenClaim(claim: KubernetesObject, pod: KubernetesObject): boolean {
  const { phase } = (claim['status'] ?? {}) as { phase?: string };
  return isClaimOf(claim, pod) && phase !== 'Bound';
}

function spokenClaim(claim: KubernetesObject): string {
  const { storageClassName } = (claim['spec'] ?? {}) as { storageClassName?: string };
  const of = storageClassName ? `of StorageClass ${storageClassName}` : 'without a StorageClass';
  return `${nameOf(claim)} ${of}`;
}

function waitingProblem(pod: KubernetesObject, container: ContainerStatus): Problem | undefined {
  const waiting = container.state?.waiting;
  const known = WAITING[waiting?.reason ?? ''];
  if (known === undefined) return undefined;
  const said =
    known.remedy === IMAGE_REMEDY
      ? pullProblem(container)
      : `container ${container.name} is in ${waiting?.reason}${lastEnd(container)}; ${known.remedy}`;
  return { reason: known.reason, message: `${nameOf(pod)}: ${said}` };
}

/** The kubelet goes to and fro between a pull and the wait for the next one; what is wrong stays the same. */
function pullProblem({ name, image = '?', state }: ContainerStatus): string {
  const refused = REFUSED.test(state?.waiting?.message ?? '');
  const remedy = refused ? CREDENTIALS_REMEDY : IMAGE_REMEDY;
  return `container ${name}: its image ${image} cannot be pulled; ${remedy}`;
}

function lastEnd({ lastState }: ContainerStatus): string {
  const exit = lastState?.terminated;
  return exit === undefined ? '' : ` (it last ended with code ${exit.exitCode ?? '?'})`;
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
