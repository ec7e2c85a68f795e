/**
 * Deletion of an instance. It never asks the control plane for anything: what writes goes first, then
 * etcd, then the claims, should they go, then the Secrets.
 */
import { DISABLE_CASCADING_DELETION_LABEL, FINALIZER, type Karmada } from '../../api/karmada.ts';
import { COMPONENTS } from '../../components/registry.ts';
import { isNotFound } from '../../kubernetes/errors.ts';
import { isEnding, type KubernetesObject } from '../../kubernetes/object.ts';
import { pruneObject } from '../../kubernetes/prune.ts';
import { apiVersionOf, keyOf, resources, type ResourceType } from '../../kubernetes/resources.ts';
import type { ReconcileResult } from '../../kubernetes/worker.ts';
import { karmadas, type Host, type Local } from '../../hosts/host.ts';
import { removeLocalKubeconfig } from '../remote/remote.ts';
import { COMPONENT, INSTANCE, isOurs, MANAGED_BY, MANAGER } from '../../api/labels.ts';
import { isNamedClaim, isOwnClaim } from '../etcd/claims.ts';
import { deletionStep, HURRIED_SECONDS, retentionOf, type Remains } from './remains.ts';
import { refusedStatus } from '../status/status-idle.ts';
import { writeStatus, type StatusTools } from '../status/status-writer.ts';

/** Kinds of which an instance has objects. */
const KINDS = [
  resources.PodDisruptionBudget,
  resources.Deployment,
  resources.Service,
  resources.StatefulSet,
  resources.Secret,
];

const CLAIM = resources.PersistentVolumeClaim;

const CHECK_AGAIN_MS = 300;
/** The pace of a namespace that is being deleted is not ours; events of pods come sooner. */
const ENDING_PODS_MS = 2_000;

/** Whether deleting the Karmada deletes what it made. */
export function deletesObjects({ metadata }: Pick<Karmada, 'metadata'>): boolean {
  return (metadata.labels?.[DISABLE_CASCADING_DELETION_LABEL] ?? 'false') === 'false';
}

export interface FinalizeTools extends StatusTools {
  readonly local: Local;
  readonly host: Host;
}

/**
 * Deletes what this instance made, makes sure by live lists that it is gone, and lets the Karmada go.
 * Each call does all it can and never waits.
 */
export async function finalize(tools: FinalizeTools, karmada: Karmada): Promise<ReconcileResult> {
  const { local, host, clock } = tools;
  if (karmada.metadata.finalizers?.includes(FINALIZER) !== true) return {};
  if (deletesObjects(karmada)) {
    const { name } = karmada.metadata;
    const step = deletionStep(karmada, await listRemains(host, karmada), clock.wall());
    await Promise.all([
      ...step.hurry.map((pod) => hurry(host, pod)),
      ...step.remove.map((object) => remove(host, name, object)),
    ]);
    if (step.waitsFor !== undefined) await tellWait(tools, karmada, step.waitsFor);
    if (!step.done) return { requeueAfterMs: isEnding(karmada) ? CHECK_AGAIN_MS : ENDING_PODS_MS };
  }
  if (host.remote !== undefined) await removeLocalKubeconfig(local, karmada);
  // In a namespace that is being deleted its turn to be deleted itself comes later.
  if (isEnding(karmada)) await releaseKarmada(local, karmada);
  return {};
}

async function remove(host: Host, name: string, object: KubernetesObject): Promise<void> {
  const owns = (live: KubernetesObject): boolean =>
    live.kind === CLAIM.kind ? isOwnClaim(live, name) : isOurs(live, name);
  await pruneObject(host.client, { object, owns });
  host.applier.forget(object);
}

/** Says in the status what the deletion waits for; written once, as the words stay the same. */
async function tellWait(tools: StatusTools, karmada: Karmada, message: string): Promise<void> {
  const { name, namespace = '' } = karmada.metadata;
  const context = {
    before: karmada.status ?? {},
    now: tools.clock.wall(),
    phase: 'Deleting',
  } as const;
  const status = refusedStatus(karmada, { reason: 'Deleting', message }, context);
  await writeStatus(tools, { key: `${namespace}/${name}`, settled: new Map() }, karmada, status);
}

/** A pod ends, or ends sooner than it would; which pod it is was seen, not guessed. */
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
async function listRemains({ client }: Host, { metadata, spec }: Karmada): Promise<Remains> {
  const { name, namespace = '' } = metadata;
  const list = async (type: ResourceType, labels?: string): Promise<KubernetesObject[]> => {
    const labelled = labels && { labelSelector: `${INSTANCE}=${name},${labels}` };
    const page = await client.list(type, { namespace, ...labelled, metadataOnly: true });
    // Metadata comes as an object of its own kind.
    return page.items.map((item) => ({ ...item, apiVersion: apiVersionOf(type), kind: type.kind }));
  };
  const components = `${COMPONENT} in (${COMPONENTS.map((component) => component.name).join(',')})`;
  const [pods, all, ...objects] = await Promise.all([
    list(resources.Pod, components),
    // By name: one that lost its labels holds data all the same.
    list(CLAIM),
    ...KINDS.map((type) => list(type, `${MANAGED_BY}=${MANAGER}`)),
  ]);
  const own = objects.flat().filter((object) => isOurs(object, name));
  const claims = all.filter((claim) => isNamedClaim(claim, name));
  const ending = claims.some((claim) => isEnding(claim) && isOwnClaim(claim, name));
  const asked = ending && retentionOf({ spec }) === 'Delete';
  const claimUsers = asked ? await usersOfClaims(client, namespace) : new Map();
  return { objects: own, pods: pods.filter(isControlled), claims, claimUsers };
}

interface PodVolumes {
  readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
}

/** Pods that have not ended, by the names of the claims that they use. */
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

/** Pods of workloads; one that a user made by hand with our labels is theirs. */
function isControlled({ metadata }: KubernetesObject): boolean {
  return metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false;
}

/** Takes our finalizer away, and nobody else's. */
export async function releaseKarmada(
  { client }: Pick<Local, 'client'>,
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
