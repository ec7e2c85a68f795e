/**
 * Hands requests over from Pods of the Go operator: pure. Their servers stop at once when they are told to, while nodes
 * still send them connections. So the Service excludes them first, and they are deleted some time later.
 */
import type { Step } from '../../components/component.ts';
import { conditionOf, isTerminating, type KubernetesObject } from '../../kubernetes/object.ts';

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

/**
 * Returns the template hash of the newest Pods of a Deployment, if they can serve all requests.
 * @returns undefined while there are no old Pods, or not enough new ones are ready
 */
export function newestHash(
  { metadata, ...deployment }: KubernetesObject,
  pods: readonly KubernetesObject[],
): string | undefined {
  const { replicas = 1 } = (deployment['spec'] ?? {}) as { replicas?: number };
  const prefix = `${metadata.name}-`;
  const own = pods.filter(
    (pod) =>
      hashOf(pod) !== undefined && pod.metadata.name.startsWith(`${prefix}${hashOf(pod) ?? ''}-`),
  );
  const [newest] = own.toSorted((one, other) => born(other) - born(one));
  const hash = newest && hashOf(newest);
  const isNew = (pod: KubernetesObject): boolean => hashOf(pod) === hash;
  if (hash === undefined || own.every(isNew)) return undefined;
  return own.filter((pod) => isNew(pod) && serves(pod)).length >= replicas ? hash : undefined;
}

const hashOf = ({ metadata }: KubernetesObject): string | undefined => metadata.labels?.[POD_HASH];

const born = ({ metadata }: KubernetesObject): number =>
  Date.parse((metadata as { creationTimestamp?: string }).creationTimestamp ?? '');

const serves = (pod: KubernetesObject): boolean =>
  !isTerminating(pod) && conditionOf(pod, 'Ready')?.status === 'True';
