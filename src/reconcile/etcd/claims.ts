/** Which claims are those of an instance's etcd. */
import { instanceName } from '../../api/naming.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { COMPONENT, INSTANCE } from '../objects.ts';

/** Whether a claim is one of the instance's etcd: by its labels and by the name the StatefulSet gives. */
export function isOwnClaim({ metadata }: KubernetesObject, name: string): boolean {
  const { labels = {}, name: called } = metadata;
  const prefix = `etcd-data-${instanceName(name, 'etcd')}-`;
  const ordinal = called.startsWith(prefix) ? called.slice(prefix.length) : '';
  return labels[INSTANCE] === name && labels[COMPONENT] === 'etcd' && /^\d+$/.test(ordinal);
}

/** Whether a claim is one of a StatefulSet's pod, whose name it has at its end. */
export const isClaimOf = (claim: KubernetesObject, pod: KubernetesObject): boolean =>
  claim.metadata.name.endsWith(`-${pod.metadata.name}`);

/** Finalizer of a claim that a pod uses. */
const IN_USE = 'kubernetes.io/pvc-protection';

/** Finalizers that somebody else has to take away. */
export const keptBy = ({ metadata: { finalizers = [] } }: KubernetesObject): readonly string[] =>
  finalizers.filter((finalizer) => finalizer !== IN_USE);
