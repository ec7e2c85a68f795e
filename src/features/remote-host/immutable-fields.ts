/**
 * Immutable fields: rejects changes of a Karmada that would leave its data behind: pure. The CRD rejects them with
 * CEL rules, but a cluster may have a CRD without these rules, such as that of another chart. The operator therefore
 * checks them too, before it writes or prunes anything.
 */
import type { Problem } from '../../api/reasons/problem.ts';
import type { Karmada, KarmadaStatus } from '../../api/karmada.ts';
import { instanceName } from '../../api/naming.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';

/**
 * Rejects a change between local and external etcd.
 * @param status last written status: names the kind of etcd in use
 * @param objects objects of the control plane in the host cluster
 * @returns undefined if the kind of etcd does not change
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
    message: `spec.components.etcd: cannot change from ${present} to ${wanted} (the data of the control plane is in the ${present} etcd and would not be migrated); the operator changes nothing; replace ${wanted} with the previous ${present}, and create another Karmada for the ${wanted} etcd`,
  };
}

const kindOf = (summary: string): 'local' | 'external' =>
  summary === 'external' ? 'external' : 'local';

/**
 * Rejects a change between the management cluster and a remote host cluster. `isDifferentHostCluster` checks a change from one
 * remote host cluster to another.
 * @param remote whether the spec references a remote host cluster
 * @returns undefined if the location does not change
 */
export function hostChange(
  { status = {} }: Pick<Karmada, 'status'>,
  remote: boolean,
): Problem | undefined {
  // The status of a control plane created by another operator contains neither versions nor the UID of its host
  // cluster.
  const installed = status.secretRef?.name !== undefined && status.versions !== undefined;
  const wasRemote = status.hostUID !== undefined;
  if (!installed || wasRemote === remote) return undefined;
  const remedy = remote
    ? 'remove it, and create another Karmada for the other cluster'
    : 'set it to the previous Secret, and create another Karmada for this cluster';
  return {
    reason: 'HostChanged',
    message: `spec.hostCluster.secretRef: cannot be ${remote ? 'added' : 'removed'} (the control plane and its data are in ${remote ? 'the management cluster' : 'the remote host cluster'} and would not be migrated); the operator changes nothing; ${remedy}`,
  };
}
