/** Stops the components that write to etcd while it is recovered: pure. */
import { isWorkload } from '../../../components/workload.ts';
import { APPLIED_HASH } from '../../../kubernetes/compare.ts';
import { identity, type KubernetesObject } from '../../../kubernetes/object.ts';
import { desiredObject, type DesiredObject, type DesiredObjects } from '../../desired-objects.ts';
import type { Snapshot } from '../../snapshot.ts';
import { ETCD_CLIENTS } from './read-facts.ts';

/**
 * Sets the replicas of the API servers to 0. A write that they acknowledged while the former members still form a quorum
 * would be lost, and their caches have revisions that the restored data does not have.
 */
export function withStoppedClients(
  desired: DesiredObjects,
  { etcdBirth, host }: Pick<Snapshot, 'etcdBirth' | 'host'>,
): DesiredObjects {
  const phase = etcdBirth?.recovery?.phase;
  const isRunning = phase === undefined || phase === 'requested';
  const change = isRunning ? resumed(host.objects) : stopped;
  return { ...desired, objects: desired.objects.map(change) };
}

/** The API server starts again at once. It does not wait until etcd has all its members, like a change would. */
function resumed(live: readonly KubernetesObject[]): (item: DesiredObject) => DesiredObject {
  const idle = new Set(live.filter(hasNoReplicas).map(identity));
  return (item) => {
    if (item.step !== 'karmada-apiserver' || !idle.has(item.id)) return item;
    const cached = live.find((object) => identity(object) === item.id);
    const wasStopped = cached?.metadata.annotations?.[APPLIED_HASH] === stopped(item).hash;
    return wasStopped ? { ...item, ignoresOrder: true } : item;
  };
}

const hasNoReplicas = (object: KubernetesObject): boolean =>
  object.kind === 'Deployment' && (object['spec'] as { replicas?: number }).replicas === 0;

function stopped(item: DesiredObject): DesiredObject {
  const { cluster, step, object } = item;
  if (cluster !== 'host' || !ETCD_CLIENTS.has(step) || object.kind !== 'Deployment') return item;
  if (!isWorkload(object)) return item;
  const none = { ...object, spec: { ...object.spec, replicas: 0 } };
  return { ...desiredObject(cluster, step, none), ignoresOrder: true };
}
