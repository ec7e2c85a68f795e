/** Which claims are those of an instance's etcd. */
import { instanceName } from '../../api/naming.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { COMPONENT, INSTANCE } from '../../api/labels.ts';

/** Ordinal in a name that ends with one after a prefix. */
function ordinalAfter(prefix: string, name: string): number | undefined {
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^(0|[1-9]\d{0,5})$/.test(digits) ? Number(digits) : undefined;
}

/**
 * Ordinal of the member whose claim has that name.
 * @param name `metadata.name` of the Karmada
 */
export const claimOrdinal = (name: string, claim: string): number | undefined =>
  ordinalAfter(`etcd-data-${instanceName(name, 'etcd')}-`, claim);

/** Ordinal of the member whose pod has that name. @param name `metadata.name` of the Karmada */
export const podOrdinal = (name: string, pod: string): number | undefined =>
  ordinalAfter(`${instanceName(name, 'etcd')}-`, pod);

/**
 * Whether a claim has the name of one of the instance's etcd, which the StatefulSet gives and nobody can change: one that
 * lost its labels holds data all the same.
 */
export const isNamedClaim = ({ metadata }: KubernetesObject, name: string): boolean =>
  claimOrdinal(name, metadata.name) !== undefined;

/** Whether a claim is one of the instance's etcd by its name and its labels, so that it may be deleted when that is asked. */
export function isOwnClaim(claim: KubernetesObject, name: string): boolean {
  const { labels = {} } = claim.metadata;
  return labels[INSTANCE] === name && labels[COMPONENT] === 'etcd' && isNamedClaim(claim, name);
}

/** Whether a claim is one of a StatefulSet's pod, whose name it has at its end. */
export const isClaimOf = (claim: KubernetesObject, pod: KubernetesObject): boolean =>
  claim.metadata.name.endsWith(`-${pod.metadata.name}`);

/** Finalizer of a claim that a pod uses. */
const IN_USE = 'kubernetes.io/pvc-protection';

/** Finalizers that somebody else has to take away. */
export const keptBy = ({ metadata: { finalizers = [] } }: KubernetesObject): readonly string[] =>
  finalizers.filter((finalizer) => finalizer !== IN_USE);
