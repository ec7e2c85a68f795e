/** Stops the components that write to etcd, and the controllers, while etcd is recovered: pure. */
import { isWorkload } from '../../components/workload.ts';
import { COMPONENT } from '../../api/labels.ts';
import { conditionOf, identity, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import {
  desiredObject,
  type DesiredObject,
  type DesiredObjects,
} from '../../instance/desired-objects.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { ETCD_CLIENTS } from './read-facts.ts';
import { RECOVERY_ANNOTATION } from './restore-pod.ts';

/** Controllers exit without an API server, and the kubelet restarts them only after ever longer pauses. */
const CONTROLLERS: ReadonlySet<string> = new Set([
  'kube-controller-manager',
  'karmada-controller-manager',
  'karmada-scheduler',
  'karmada-descheduler',
]);

/**
 * Sets the replicas of the API servers and of the controllers to 0. A write that they acknowledged while the former members still form a quorum
 * would be lost, and their caches have revisions that the restored data does not have.
 */
export function withStoppedClients(
  desired: DesiredObjects,
  { etcdBootstrap, host }: Pick<Snapshot, 'etcdBootstrap' | 'host'>,
): DesiredObjects {
  const { phase, from } = etcdBootstrap?.recovery ?? {};
  const isStopped = from !== undefined && (phase === 'restoring' || phase === 'switching');
  const change = isStopped ? stoppedFor(from) : resumed(host.objects);
  return { ...desired, objects: desired.objects.map(change) };
}

/**
 * The API server starts again at once, and the controllers as soon as it is available. They do not wait until etcd has
 * all its members, like a change would.
 */
function resumed(live: readonly KubernetesObject[]): (item: DesiredObject) => DesiredObject {
  const stopped = new Set(live.filter(isStoppedByRecovery).map(identity));
  const serves = live.some(isAvailableServer);
  return (item) => {
    const isDue = item.step === 'karmada-apiserver' || (serves && CONTROLLERS.has(item.step));
    return isDue && stopped.has(item.id) ? { ...item, ignoresOrder: true } : item;
  };
}

const isAvailableServer = (object: KubernetesObject): boolean =>
  object.kind === 'Deployment' &&
  object.metadata.labels?.[COMPONENT] === 'karmada-apiserver' &&
  conditionOf(object, 'Available')?.status === 'True';

const isStoppedByRecovery = ({ kind, metadata }: KubernetesObject): boolean =>
  kind === 'Deployment' && metadata.annotations?.[RECOVERY_ANNOTATION] !== undefined;

/** Whether the Deployment of a component has no Pods because etcd is recovered. */
export const isStoppedComponent = (
  name: string,
  { objects }: Pick<Snapshot['host'], 'objects'>,
): boolean =>
  objects.some(
    (object) => isStoppedByRecovery(object) && object.metadata.labels?.[COMPONENT] === name,
  );

/** @param from value of the annotation that confirms the recovery */
const stoppedFor =
  (from: string) =>
  (item: DesiredObject): DesiredObject => {
    const { cluster, step, object } = item;
    const isStopped = ETCD_CLIENTS.has(step) || CONTROLLERS.has(step);
    if (cluster !== 'host' || !isStopped || object.kind !== 'Deployment') return item;
    if (!isWorkload(object)) return item;
    const annotations = { ...object.metadata.annotations, [RECOVERY_ANNOTATION]: from };
    const metadata = { ...object.metadata, annotations };
    const none = { ...object, metadata, spec: { ...object.spec, replicas: 0 } };
    return { ...desiredObject(cluster, step, none), ignoresOrder: true };
  };
