/** Explains why the Pods of a component are not ready, from their status, with the action to take. Pure functions. */
import type { Problem } from '../../api/problem.ts';
import { conditionOf, nameOf, type KubernetesObject } from '../../kubernetes/object.ts';
import { isClaimOf } from '../etcd/persistent-volume-claims.ts';
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
  'check imageRepository and imageTag of the component, and that the node can pull from this registry';

/** Texts of registries, repeated by the kubelet, for missing or wrong credentials. */
const REFUSED =
  /unauthorized|forbidden|access denied|authorization failed|authentication required|no basic auth/i;
const CREDENTIALS_REMEDY =
  'the registry rejects the pull: check the user name and password in the Secrets of spec.imagePullSecrets, and that the image exists';

/** Waiting reasons of a container that require user action. */
const WAITING: Readonly<Record<string, { readonly reason: string; readonly remedy: string }>> = {
  ImagePullBackOff: { reason: 'ImagePullFailed', remedy: IMAGE_REMEDY },
  ErrImagePull: { reason: 'ImagePullFailed', remedy: IMAGE_REMEDY },
  InvalidImageName: { reason: 'InvalidImageName', remedy: IMAGE_REMEDY },
  ErrImageNeverPull: {
    reason: 'ImageNotPresent',
    remedy: 'load the image onto the node, or set a different imagePullPolicy',
  },
  CrashLoopBackOff: {
    reason: 'CrashLoopBackOff',
    remedy: 'check its log with kubectl logs --previous',
  },
  CreateContainerConfigError: {
    reason: 'ContainerConfigError',
    remedy: 'create the ConfigMaps and Secrets that the container references, or correct the spec',
  },
  CreateContainerError: { reason: 'ContainerError', remedy: 'check the Events of the Pod' },
  RunContainerError: {
    reason: 'ContainerError',
    remedy: 'check the Events of the Pod; the usual causes are extraArgs and volumes',
  },
};

/** Time in milliseconds after which a running container that is not ready is reported. */
const SLOW_MS = 60_000;
/**
 * Time in milliseconds after which an unbound PVC is reported. The scheduler may see a Pod before its new PVC, and a
 * volume that is provisioned takes some seconds.
 */
const UNBOUND_MS = 10_000;

/** Objects of a control plane in the host cluster that explain a problem. */
export interface Surroundings {
  readonly pods: readonly KubernetesObject[];
  readonly claims: readonly KubernetesObject[];
  /** Wall clock in milliseconds. */
  readonly now: number;
}

/**
 * Returns the first problem of a component.
 * @param component value of the label `app.kubernetes.io/name`
 * @returns undefined if no user action is needed
 */
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

/** Problem of a workload that cannot create Pods, for example because of a ResourceQuota. */
function replicaFailure(workload: KubernetesObject | undefined): Problem | undefined {
  if (workload === undefined) return undefined;
  const failure = conditionOf(workload, 'ReplicaFailure');
  if (failure?.status !== 'True') return undefined;
  const text = failure.message ?? failure.reason ?? 'no message';
  const remedy = /quota/i.test(text)
    ? 'raise the ResourceQuota of the namespace, or lower the resources; a priorityClassName may need its own ResourceQuota'
    : 'the namespace must admit the Pod: fix the cause that the message names';
  return {
    reason: /quota/i.test(text) ? 'QuotaExceeded' : 'PodsRefused',
    message: `${nameOf(workload)}: cannot create Pods (${text}); ${remedy}`,
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
    unschedulable(pod, claims, now) ??
    firstOf(containers, (container) => slowProblem(pod, container, now))
  );
}

function unschedulable(
  pod: KubernetesObject,
  claims: readonly KubernetesObject[],
  now: number,
): Problem | undefined {
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status !== 'False' || scheduled.reason !== 'Unschedulable') return undefined;
  const text = scheduled.message ?? 'no node fits';
  const stuck = `${nameOf(pod)}: cannot be scheduled (${text})`;
  if (!/persistentvolumeclaim/i.test(text)) {
    const remedy = 'add nodes to the cluster, or change resources, tolerations or affinity';
    return { reason: 'Unschedulable', message: `${stuck}; ${remedy}` };
  }
  if (now - Date.parse(scheduled.lastTransitionTime ?? '') < UNBOUND_MS) return undefined;
  const open = claims.filter((claim) => isOpenClaim(claim, pod)).map(spokenClaim);
  const check = 'check that its StorageClass exists and can provision a volume';
  const remedy =
    open.length === 0
      ? `the PersistentVolumeClaim must be bound: ${check}`
      : `${open.join(', ')} must be bound: ${check}, or correct spec.components.etcd.local.volumeData`;
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

/** One message for both reasons: the kubelet alternates between ErrImagePull and ImagePullBackOff. */
function pullProblem({ name, image = '?', state }: ContainerStatus): string {
  const refused = REFUSED.test(state?.waiting?.message ?? '');
  const remedy = refused ? CREDENTIALS_REMEDY : IMAGE_REMEDY;
  return `container ${name}: image ${image} cannot be pulled; ${remedy}`;
}

function lastEnd({ lastState }: ContainerStatus): string {
  const exit = lastState?.terminated;
  return exit === undefined ? '' : ` (last exit code ${exit.exitCode ?? '?'})`;
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
    message: `${nameOf(pod)}: container ${container.name} runs, but its probe fails; check its log with kubectl logs`,
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
