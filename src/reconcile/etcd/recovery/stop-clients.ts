/** Stops the components that write to etcd while it is recovered: pure. */
import { isWorkload } from '../../../components/workload.ts';
import { identity, type KubernetesObject } from '../../../kubernetes/object.ts';
import { desiredObject, type DesiredObject, type DesiredObjects } from '../../desired-objects.ts';
import type { Snapshot } from '../../snapshot.ts';
import { ETCD_CLIENTS } from './read-facts.ts';
import { RECOVERY_ANNOTATION } from './restore-pod.ts';

/**
 * Sets the replicas of the API servers to 0. A write that they acknowledged while the former members still form a quorum
 * would be lost, and their caches have revisions that the restored data does not have.
 */
export function withStoppedClients(
  desired: DesiredObjects,
  { etcdBirth, host }: Pick<Snapshot, 'etcdBirth' | 'host'>,
): DesiredObjects {
  const { phase, from } = etcdBirth?.recovery ?? {};
  const isStopped = from !== undefined && phase !== 'requested';
  const change = isStopped ? stoppedFor(from) : resumed(host.objects);
  return { ...desired, objects: desired.objects.map(change) };
}

/** The API server starts again at once. It does not wait until etcd has all its members, like a change would. */
function resumed(live: readonly KubernetesObject[]): (item: DesiredObject) => DesiredObject {
  const stopped = new Set(live.filter(isStoppedByRecovery).map(identity));
  return (item) =>
    item.step === 'karmada-apiserver' && stopped.has(item.id)
      ? { ...item, ignoresOrder: true }
      : item;
}

const isStoppedByRecovery = ({ kind, metadata }: KubernetesObject): boolean =>
  kind === 'Deployment' && metadata.annotations?.[RECOVERY_ANNOTATION] !== undefined;

/** @param from value of the annotation that confirms the recovery */
const stoppedFor =
  (from: string) =>
  (item: DesiredObject): DesiredObject => {
    const { cluster, step, object } = item;
    if (cluster !== 'host' || !ETCD_CLIENTS.has(step) || object.kind !== 'Deployment') return item;
    if (!isWorkload(object)) return item;
    const annotations = { ...object.metadata.annotations, [RECOVERY_ANNOTATION]: from };
    const metadata = { ...object.metadata, annotations };
    const none = { ...object, metadata, spec: { ...object.spec, replicas: 0 } };
    return { ...desiredObject(cluster, step, none), ignoresOrder: true };
  };
