/**
 * Deletes the objects of a control plane and removes the finalizer. It sends no request to the control plane, which may
 * be broken. The order is: components that write to etcd, etcd, PVCs if the retention policy says so, Secrets.
 */
import { DISABLE_CASCADING_DELETION_LABEL, FINALIZER, type Karmada } from '../../api/karmada.ts';
import { COMPONENTS } from '../../components/registry.ts';
import { isNotFound } from '../../kubernetes/errors.ts';
import { isTerminating, type KubernetesObject } from '../../kubernetes/object.ts';
import { pruneObject } from '../../kubernetes/prune.ts';
import { apiVersionOf, keyOf, resources, type ResourceType } from '../../kubernetes/resources.ts';
import type { ReconcileResult } from '../../kubernetes/worker.ts';
import { karmadas, type Host, type ManagementCluster } from '../../host-clusters/host.ts';
import { removeLocalKubeconfig } from '../remote/remote.ts';
import { COMPONENT, INSTANCE, isOurs, MANAGED_BY, MANAGER } from '../../api/labels.ts';
import { isNamedClaim, isOwnClaim } from '../etcd/persistent-volume-claims.ts';
import {
  planDeletion,
  SHORT_GRACE_SECONDS,
  retentionOf,
  type RemainingObjects,
} from './deletion-plan.ts';
import { rejectedStatus } from '../status/unreconciled-status.ts';
import { writeStatus, type StatusTools } from '../status/status-writer.ts';

/** Kinds of the objects of a control plane. */
const KINDS = [
  resources.PodDisruptionBudget,
  resources.Deployment,
  resources.Service,
  resources.StatefulSet,
  resources.Secret,
];

const CLAIM = resources.PersistentVolumeClaim;

const CHECK_AGAIN_MS = 300;
/** In a terminating Namespace the namespace controller sets the pace; watch events of Pods arrive earlier. */
const ENDING_PODS_MS = 2_000;

/** Whether the deletion of the Karmada deletes its objects. */
export function deletesObjects({ metadata }: Pick<Karmada, 'metadata'>): boolean {
  return (metadata.labels?.[DISABLE_CASCADING_DELETION_LABEL] ?? 'false') === 'false';
}

export interface FinalizeTools extends StatusTools {
  readonly local: ManagementCluster;
  readonly host: Host;
}

/**
 * Deletes the objects of a control plane, verifies with live lists that they are gone, and removes the finalizer.
 * Each call does all that is possible now and never waits.
 * @returns when to call again; empty if the finalizer is gone
 * @throws ApiError, NetworkError
 */
export async function finalize(tools: FinalizeTools, karmada: Karmada): Promise<ReconcileResult> {
  const { local, host, clock } = tools;
  if (karmada.metadata.finalizers?.includes(FINALIZER) !== true) return {};
  if (deletesObjects(karmada)) {
    const { name } = karmada.metadata;
    const step = planDeletion(karmada, await listRemains(host, karmada), clock.wall());
    await Promise.all([
      ...step.hurry.map((pod) => hurry(host, pod)),
      ...step.remove.map((object) => remove(host, name, object)),
    ]);
    if (step.waitsFor !== undefined) await tellWait(tools, karmada, step.waitsFor);
    if (!step.done)
      return { requeueAfterMs: isTerminating(karmada) ? CHECK_AGAIN_MS : ENDING_PODS_MS };
  }
  if (host.remote !== undefined) await removeLocalKubeconfig(local, karmada);
  // In a terminating Namespace the deletion of the Karmada itself may come later.
  if (isTerminating(karmada)) await removeFinalizer(local, karmada);
  return {};
}

async function remove(host: Host, name: string, object: KubernetesObject): Promise<void> {
  const owns = (live: KubernetesObject): boolean =>
    live.kind === CLAIM.kind ? isOwnClaim(live, name) : isOurs(live, name);
  await pruneObject(host.client, { object, owns });
  host.applier.forget(object);
}

/** Reports in the status what the deletion waits for. An equal message causes no second write. */
async function tellWait(tools: StatusTools, karmada: Karmada, message: string): Promise<void> {
  const { name, namespace = '' } = karmada.metadata;
  const context = {
    before: karmada.status ?? {},
    now: tools.clock.wall(),
    phase: 'Deleting',
  } as const;
  const status = rejectedStatus(karmada, { reason: 'Deleting', message }, context);
  await writeStatus(tools, { key: `${namespace}/${name}`, settled: new Map() }, karmada, status);
}

/** Deletes a Pod with a shorter grace period. The uid protects a new Pod with the same name. */
async function hurry({ client }: Host, pod: KubernetesObject): Promise<void> {
  const { uid } = pod.metadata;
  const guard = uid === undefined ? {} : { uid };
  try {
    await client.delete(resources.Pod, keyOf(pod), {
      ...guard,
      gracePeriodSeconds: SHORT_GRACE_SECONDS,
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Lists the remaining objects live, since a cache may lag behind. */
async function listRemains(
  { client }: Host,
  { metadata, spec }: Karmada,
): Promise<RemainingObjects> {
  const { name, namespace = '' } = metadata;
  const list = async (type: ResourceType, labels?: string): Promise<KubernetesObject[]> => {
    const labelled = labels && { labelSelector: `${INSTANCE}=${name},${labels}` };
    const page = await client.list(type, { namespace, ...labelled, metadataOnly: true });
    // A metadata list returns items of kind PartialObjectMetadata.
    return page.items.map((item) => ({ ...item, apiVersion: apiVersionOf(type), kind: type.kind }));
  };
  const components = `${COMPONENT} in (${COMPONENTS.map((component) => component.name).join(',')})`;
  const [pods, all, ...objects] = await Promise.all([
    list(resources.Pod, components),
    // By name: a PVC that lost its labels still has data.
    list(CLAIM),
    ...KINDS.map((type) => list(type, `${MANAGED_BY}=${MANAGER}`)),
  ]);
  const own = objects.flat().filter((object) => isOurs(object, name));
  const claims = all.filter((claim) => isNamedClaim(claim, name));
  const ending = claims.some((claim) => isTerminating(claim) && isOwnClaim(claim, name));
  const isRequested = ending && retentionOf({ spec }) === 'Delete';
  const claimUsers = isRequested ? await usersOfClaims(client, namespace) : new Map();
  return { objects: own, pods: pods.filter(isControlled), claims, claimUsers };
}

interface PodVolumes {
  readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
}

/** Names of running Pods by the name of the PVC that they use. */
async function usersOfClaims(
  client: Host['client'],
  namespace: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const users = new Map<string, string[]>();
  for (const pod of (await client.list(resources.Pod, { namespace })).items) {
    const { phase } = (pod['status'] ?? {}) as { phase?: string };
    if (phase === 'Succeeded' || phase === 'Failed') continue;
    for (const { persistentVolumeClaim: claim } of (pod['spec'] as PodVolumes).volumes ?? [])
      if (claim !== undefined)
        users.set(claim.claimName, [...(users.get(claim.claimName) ?? []), pod.metadata.name]);
  }
  return users;
}

/** Whether a controller owns the Pod. A Pod that a user created with the same labels is not deleted. */
function isControlled({ metadata }: KubernetesObject): boolean {
  return metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false;
}

/** Removes the finalizer of this operator; finalizers of other controllers stay. @throws ApiError, NetworkError */
export async function removeFinalizer(
  { client }: Pick<ManagementCluster, 'client'>,
  karmada: Karmada,
): Promise<void> {
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
