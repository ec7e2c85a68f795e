/**
 * Hands requests over from Pods of the Go operator: pure. Their servers stop at once when they are told to, while nodes
 * still send them connections. So the Service excludes them first, and they are deleted some time later.
 */
import type { Step } from '../../components/component.ts';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import type { Deployment } from '../../kubernetes/objects/kinds.ts';
import {
  conditionOf,
  isTerminating,
  type KubernetesObject,
} from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { parseTime } from '../../kubernetes/time/time.ts';

/** Steps with a Service. */
export const SERVERS: readonly Step[] = [
  'karmada-apiserver',
  'karmada-aggregated-apiserver',
  'karmada-metrics-adapter',
  'karmada-search',
  'karmada-webhook',
];

/**
 * How long a new Pod is ready before the Deployment controller deletes an old one, in seconds: enough for the operator
 * to change the Service, and for all nodes to apply that. No template of the operator has this value.
 */
export const HANDOVER_SECONDS = 15;

/** Label that the Deployment controller sets on its Pods. */
export const POD_HASH = 'pod-template-hash';

/** What the Deployment controller reports. The API omits zero values from a status. */
function statusOf({ metadata, status = {} }: Deployment): {
  readonly isObserved: boolean;
  readonly replicas: number;
  readonly updatedReplicas: number;
} {
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0 } = status;
  const isObserved = observedGeneration >= (metadata.generation ?? 0);
  return { isObserved, replicas, updatedReplicas };
}

/** Whether the operator has never applied an object. */
export const isUnapplied = ({ metadata }: KubernetesObject): boolean =>
  metadata.annotations?.[APPLIED_HASH] === undefined;

/** Whether a Deployment has Pods of the Go operator, or may have them. */
export function hasOldPods(deployment: Deployment): boolean {
  const { isObserved, replicas, updatedReplicas } = statusOf(deployment);
  return isUnapplied(deployment) || !isObserved || updatedReplicas < replicas;
}

/**
 * Returns the template hash of the newest Pods of a Deployment, if they can serve all requests.
 * @returns undefined while there are no old Pods, or not enough new ones are ready
 */
export function newestHash(deployment: Deployment, pods: readonly Pod[]): string | undefined {
  const { replicas = 1 } = deployment.spec ?? {};
  const { isObserved, updatedReplicas } = statusOf(deployment);
  // Without this, Pods of two revisions of the Go operator would count as old and new ones.
  if (isUnapplied(deployment) || !isObserved || updatedReplicas < replicas) return undefined;
  const prefix = `${deployment.metadata.name}-`;
  const own = pods.filter(
    (pod) =>
      hashOf(pod) !== undefined && pod.metadata.name.startsWith(`${prefix}${hashOf(pod) ?? ''}-`),
  );
  const [newest] = own.toSorted((one, other) => born(other) - born(one));
  const hash = newest && hashOf(newest);
  const isNew = (pod: Pod): boolean => hashOf(pod) === hash;
  if (hash === undefined || own.every(isNew)) return undefined;
  return own.filter((pod) => isNew(pod) && serves(pod)).length >= replicas ? hash : undefined;
}

const hashOf = ({ metadata }: KubernetesObject): string | undefined => metadata.labels?.[POD_HASH];

const born = ({ metadata }: KubernetesObject): number => parseTime(metadata.creationTimestamp);

const serves = (pod: Pod): boolean =>
  !isTerminating(pod) && conditionOf(pod, 'Ready')?.status === 'True';
