/**
 * Changes of a Karmada that would leave its data behind: pure. The CRD refuses them; a cluster may have another one, such
 * as that of another chart, so that the operator refuses them too, before anything is written or pruned.
 */
import type { Problem } from '../api/problem.ts';
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';
import { instanceName } from '../api/naming.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';

/**
 * An etcd of the control plane's own that is to become one that somebody else runs, or the other way round.
 * @param status as it was written last: it says which etcd the control plane has
 * @param objects of the instance in its host
 */
export function etcdKindChange(
  { metadata, spec }: Pick<Karmada, 'metadata' | 'spec'>,
  status: Pick<KarmadaStatus, 'etcd'>,
  objects: readonly KubernetesObject[],
): Problem | undefined {
  const statefulSet = instanceName(metadata.name, 'etcd');
  const isThere = objects.some(
    ({ kind, metadata: { name } }) => kind === 'StatefulSet' && name === statefulSet,
  );
  const present = status.etcd === undefined ? isThere && 'local' : kindOf(status.etcd);
  const wanted = spec?.components?.etcd?.external === undefined ? 'local' : 'external';
  if (present === false || present === wanted) return undefined;
  return {
    reason: 'EtcdKindChanged',
    message: `spec.components.etcd: the etcd of a control plane cannot change from ${present} to ${wanted} (the data is in the ${present} etcd and would stay there); the operator changes nothing until ${wanted} is replaced by the former ${present}; create another Karmada for the ${wanted} etcd`,
  };
}

const kindOf = (summary: string): 'local' | 'external' =>
  summary === 'external' ? 'external' : 'local';

/**
 * A control plane of the operator's own cluster that is to be in another one, or the other way round. Which cluster it is
 * in when both are others is a matter of `isOther`.
 * @param remote whether the spec names another host
 */
export function hostChange(
  { status = {} }: Pick<Karmada, 'status'>,
  remote: boolean,
): Problem | undefined {
  // An instance that another operator made has no versions in its status, and nobody noted its host.
  const installed = status.secretRef?.name !== undefined && status.versions !== undefined;
  const wasRemote = status.hostUID !== undefined;
  if (!installed || wasRemote === remote) return undefined;
  const remedy = remote
    ? 'remove it, and create another Karmada for the other cluster'
    : 'set it to the former Secret, and create another Karmada for this cluster';
  return {
    reason: 'HostChanged',
    message: `spec.hostCluster.secretRef: cannot be ${remote ? 'added' : 'removed'} (the control plane and its data are in ${remote ? "the operator's own cluster" : 'the other cluster'} and would stay there); the operator changes nothing; ${remedy}`,
  };
}
