/**
 * Deletes the objects of a control plane and removes the finalizer. It sends no request to the control plane, which may
 * be broken. The order is: components that write to etcd, etcd, PVCs if the retention policy says so, Secrets.
 */
import { claimForDeletion } from '../../../features/adoption/claim-for-deletion.ts';
import { DISABLE_CASCADING_DELETION_LABEL, FINALIZER, type Karmada } from '../../../api/karmada.ts';
import { isNotFound } from '../../../kubernetes/errors.ts';
import { isTerminating, type KubernetesObject } from '../../../kubernetes/object.ts';
import { pruneObject } from '../../../kubernetes/prune.ts';
import { keyOf, resources } from '../../../kubernetes/resources.ts';
import type { ReconcileResult } from '../../../kubernetes/worker.ts';
import { karmadas, type Host, type ManagementCluster } from '../../../host-clusters/host.ts';
import { removeLocalKubeconfig } from '../../../features/remote-host/remote-host.ts';
import { isOurs } from '../../../api/labels.ts';
import { isOwnClaim } from '../../../etcd-cluster/storage/persistent-volume-claims.ts';
import { planDeletion, SHORT_GRACE_SECONDS, type DeletionStep } from './deletion-plan.ts';
import { listRemains } from './remaining-objects.ts';
import { rejectedStatus } from '../../../features/status/unreconciled-status.ts';
import { writeStatus, type StatusTools } from '../../../features/status/status-writer.ts';

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

/** The step of a Karmada whose objects stay. */
const NOTHING_TO_DELETE: DeletionStep = { remove: [], hurry: [], done: true };

/**
 * What follows a deletion step: another call, or the end. Then the finalizer is removed, except if the Karmada is not
 * deleted yet: in a terminating Namespace its deletion may come later. Pure function.
 */
export function afterStep(
  karmada: Pick<Karmada, 'metadata'>,
  { done }: Pick<DeletionStep, 'done'>,
): { readonly requeueAfterMs: number } | { readonly removesFinalizer: boolean } {
  const isDeleted = isTerminating(karmada);
  if (done) return { removesFinalizer: isDeleted };
  return { requeueAfterMs: isDeleted ? CHECK_AGAIN_MS : ENDING_PODS_MS };
}

/** Whether the finalizer of this operator keeps the Karmada. */
const hasFinalizer = ({ metadata }: Pick<Karmada, 'metadata'>): boolean =>
  metadata.finalizers?.includes(FINALIZER) === true;

/**
 * Deletes the objects of a control plane, verifies with live lists that they are gone, and removes the finalizer.
 * Each call does all that is possible now and never waits.
 * @returns when to call again; empty if the finalizer is gone
 * @throws ApiError, NetworkError
 */
export async function finalize(tools: FinalizeTools, karmada: Karmada): Promise<ReconcileResult> {
  const { local, host, clock } = tools;
  if (!hasFinalizer(karmada)) return {};
  if (deletesObjects(karmada)) await claimForDeletion(tools, karmada);
  const step = deletesObjects(karmada)
    ? planDeletion(karmada, await listRemains(host, karmada), clock.wall())
    : NOTHING_TO_DELETE;
  await carryOut(tools, karmada, step);
  const next = afterStep(karmada, step);
  if ('requeueAfterMs' in next) return next;
  if (host.remote !== undefined) await removeLocalKubeconfig(local, karmada);
  if (next.removesFinalizer) await removeFinalizer(local, karmada);
  return {};
}

/** Carries out a deletion step and reports what it waits for. */
async function carryOut(
  tools: FinalizeTools,
  karmada: Karmada,
  { hurry, remove: removed, waitsFor }: DeletionStep,
): Promise<void> {
  const { host } = tools;
  const { name } = karmada.metadata;
  await Promise.all([
    ...hurry.map((pod) => shortenGracePeriod(host, pod)),
    ...removed.map((object) => remove(host, name, object)),
  ]);
  if (waitsFor !== undefined) await reportDeletionBlocked(tools, karmada, waitsFor);
}

async function remove(host: Host, name: string, object: KubernetesObject): Promise<void> {
  const owns = (live: KubernetesObject): boolean =>
    live.kind === resources.PersistentVolumeClaim.kind
      ? isOwnClaim(live, name)
      : isOurs(live, name);
  await pruneObject(host.client, { object, owns });
  host.applier.forget(object);
}

/** Reports in the status what the deletion waits for. An equal message causes no second write. */
async function reportDeletionBlocked(
  tools: StatusTools,
  karmada: Karmada,
  message: string,
): Promise<void> {
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
async function shortenGracePeriod({ client }: Host, pod: KubernetesObject): Promise<void> {
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

/**
 * The patch of a live Karmada that removes the finalizer of this operator; finalizers of other controllers stay. Pure
 * function.
 * @param uid of the deleted Karmada
 * @returns undefined if the Karmada is gone, another one has its name, or the finalizer is removed already
 */
export function finalizerPatch(
  live: KubernetesObject | undefined,
  uid: string | undefined,
): { readonly metadata: object } | undefined {
  if (live === undefined || live.metadata.uid !== uid) return undefined;
  const { resourceVersion, finalizers = [] } = live.metadata;
  if (!finalizers.includes(FINALIZER)) return undefined;
  const others = finalizers.filter((finalizer) => finalizer !== FINALIZER);
  return { metadata: { uid, resourceVersion, finalizers: others } };
}

/** Removes the finalizer of this operator from the live Karmada. @throws ApiError, NetworkError */
export async function removeFinalizer(
  { client }: Pick<ManagementCluster, 'client'>,
  karmada: Karmada,
): Promise<void> {
  const { name, namespace = '', uid } = karmada.metadata;
  const patch = finalizerPatch(await client.find(karmadas, { namespace, name }), uid);
  if (patch === undefined) return;
  try {
    await client.patch(karmadas, { namespace, name }, patch);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
