/**
 * Deletion of an instance. It never asks the control plane for anything: what writes goes first, then
 * etcd, then the Secrets. Claims stay.
 */
import { DISABLE_CASCADING_DELETION_LABEL, FINALIZER, type Karmada } from '../api/karmada.ts';
import { COMPONENTS } from '../components/registry.ts';
import type { Clock } from '../kubernetes/clock.ts';
import { isNotFound } from '../kubernetes/errors.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { pruneObject } from '../kubernetes/prune.ts';
import { apiVersionOf, keyOf, resources, type ResourceType } from '../kubernetes/resources.ts';
import type { ReconcileResult } from '../kubernetes/worker.ts';
import { karmadas, type Host } from './host.ts';
import { COMPONENT, INSTANCE, isOurs, MANAGED_BY, MANAGER } from './objects.ts';
import { deletionStep, HURRIED_SECONDS, type Remains } from './remains.ts';

/** Kinds of which an instance has objects. */
const KINDS = [
  resources.PodDisruptionBudget,
  resources.Deployment,
  resources.Service,
  resources.StatefulSet,
  resources.Secret,
];

const CHECK_AGAIN_MS = 300;

/** Whether deleting the Karmada deletes what it made. */
export function deletesObjects({ metadata }: Pick<Karmada, 'metadata'>): boolean {
  return (metadata.labels?.[DISABLE_CASCADING_DELETION_LABEL] ?? 'false') === 'false';
}

/**
 * Deletes what this instance made, makes sure by live lists that it is gone, and lets the Karmada go.
 * Each call does all it can and never waits.
 */
export async function finalize(
  host: Host,
  karmada: Karmada,
  clock: Pick<Clock, 'wall'>,
): Promise<ReconcileResult> {
  if (karmada.metadata.finalizers?.includes(FINALIZER) !== true) return {};
  if (deletesObjects(karmada)) {
    const { name } = karmada.metadata;
    const step = deletionStep(name, await listRemains(host, karmada), clock.wall());
    await Promise.all(step.remove.map((object) => remove(host, name, object)));
    await Promise.all(step.hurry.map((pod) => hurry(host, pod)));
    if (!step.done) return { requeueAfterMs: CHECK_AGAIN_MS };
  }
  await releaseKarmada(host, karmada);
  return {};
}

async function remove(host: Host, name: string, object: KubernetesObject): Promise<void> {
  await pruneObject(host.client, { object, owns: (live) => isOurs(live, name) });
  host.applier.forget(object);
}

/** A pod that is ending already ends sooner; which pod it is was seen, not guessed. */
async function hurry({ client }: Host, pod: KubernetesObject): Promise<void> {
  const { uid } = pod.metadata;
  const guard = uid === undefined ? {} : { uid };
  try {
    await client.delete(resources.Pod, keyOf(pod), {
      ...guard,
      gracePeriodSeconds: HURRIED_SECONDS,
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Live lists: what a cache does not know may be there all the same. */
async function listRemains({ client }: Host, { metadata }: Karmada): Promise<Remains> {
  const { name, namespace = '' } = metadata;
  const list = async (type: ResourceType, labels: string): Promise<KubernetesObject[]> => {
    const labelSelector = `${INSTANCE}=${name},${labels}`;
    const page = await client.list(type, { namespace, labelSelector, metadataOnly: true });
    // Metadata comes as an object of its own kind.
    return page.items.map((item) => ({ ...item, apiVersion: apiVersionOf(type), kind: type.kind }));
  };
  const components = `${COMPONENT} in (${COMPONENTS.map((component) => component.name).join(',')})`;
  const [pods, claims, ...objects] = await Promise.all([
    list(resources.Pod, components),
    list(resources.PersistentVolumeClaim, `${COMPONENT}=etcd`),
    ...KINDS.map((type) => list(type, `${MANAGED_BY}=${MANAGER}`)),
  ]);
  const own = objects.flat().filter((object) => isOurs(object, name));
  return { objects: own, pods: pods.filter(isControlled), claims };
}

/** Pods of workloads; one that a user made by hand with our labels is theirs. */
function isControlled({ metadata }: KubernetesObject): boolean {
  return metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false;
}

/** Takes our finalizer away, and nobody else's. */
async function releaseKarmada({ client }: Host, karmada: Karmada): Promise<void> {
  const { name, namespace = '', uid } = karmada.metadata;
  const live = await client.find(karmadas, { namespace, name });
  if (live === undefined || live.metadata.uid !== uid) return;
  const { resourceVersion, finalizers = [] } = live.metadata;
  if (!finalizers.includes(FINALIZER)) return;
  const others = finalizers.filter((finalizer) => finalizer !== FINALIZER);
  try {
    await client.patch(
      karmadas,
      { namespace, name },
      { metadata: { uid, resourceVersion, finalizers: others } },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
