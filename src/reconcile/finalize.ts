/**
 * Deletion of an instance. It never asks the control plane for anything: what writes goes first, then
 * etcd, then the Secrets, those with the authorities last. Claims stay.
 */
import { DISABLE_CASCADING_DELETION_LABEL, FINALIZER, type Karmada } from '../api/karmada.ts';
import { instanceName } from '../api/naming.ts';
import { isNotFound } from '../kubernetes/errors.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { pruneObject } from '../kubernetes/prune.ts';
import { resources, type ResourceType } from '../kubernetes/resources.ts';
import type { ReconcileResult } from '../kubernetes/worker.ts';
import { karmadas, type Host } from './host.ts';
import { INSTANCE, isOurs, MANAGED_BY, MANAGER } from './objects.ts';

/** Kinds in the order in which they go; one stage after the other. */
const STAGES: readonly (readonly ResourceType[])[] = [
  [resources.PodDisruptionBudget, resources.Deployment, resources.Service],
  [resources.StatefulSet],
  [resources.Secret],
];

const CHECK_AGAIN_MS = 500;

/** Whether deleting the Karmada deletes what it made. */
export function deletesObjects({ metadata }: Pick<Karmada, 'metadata'>): boolean {
  return (metadata.labels?.[DISABLE_CASCADING_DELETION_LABEL] ?? 'false') === 'false';
}

/**
 * Deletes what this instance made, makes sure by live lists that it is gone, and lets the Karmada go.
 * Each call does all it can and never waits.
 */
export async function finalize(host: Host, karmada: Karmada): Promise<ReconcileResult> {
  if (karmada.metadata.finalizers?.includes(FINALIZER) !== true) return {};
  if (deletesObjects(karmada)) {
    for (const kinds of STAGES) await removeKinds(host, karmada, kinds);
    const left = await listOwned(host, karmada, STAGES.flat());
    if (left.length > 0) return { requeueAfterMs: CHECK_AGAIN_MS };
  }
  await releaseKarmada(host, karmada);
  return {};
}

async function removeKinds(
  host: Host,
  karmada: Karmada,
  kinds: readonly ResourceType[],
): Promise<void> {
  const { name } = karmada.metadata;
  const found = await listOwned(host, karmada, kinds);
  const last = new Set([instanceName(name, 'cert'), instanceName(name, 'ca-backup')]);
  const first = found.filter(({ metadata }) => !last.has(metadata.name));
  for (const batch of [first, found.filter((object) => !first.includes(object))])
    await Promise.all(batch.map((object) => remove(host, name, object)));
}

async function remove(host: Host, name: string, object: KubernetesObject): Promise<void> {
  if (object.metadata.deletionTimestamp !== undefined) return;
  await pruneObject(host.client, { object, owns: (live) => isOurs(live, name) });
  host.applier.forget(object);
}

/** Live lists: what a cache does not know may be there all the same. */
async function listOwned(
  { client }: Host,
  { metadata }: Karmada,
  kinds: readonly ResourceType[],
): Promise<KubernetesObject[]> {
  const { name, namespace = '' } = metadata;
  const labelSelector = `${MANAGED_BY}=${MANAGER},${INSTANCE}=${name}`;
  const pages = await Promise.all(
    kinds.map((type) => client.list(type, { namespace, labelSelector, metadataOnly: true })),
  );
  return pages.flatMap(({ items }) => items).filter((object) => isOurs(object, name));
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
