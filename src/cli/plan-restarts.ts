/** Determines which Pods a change replaces. Uses only reads and dry runs. */
import { isDeepStrictEqual } from 'node:util';
import { FIELD_MANAGER } from '../api/karmada.ts';
import { isWorkload, type Workload } from '../components/workload.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { APPLIED_HASH } from '../kubernetes/objects/compare.ts';
import { isStatus } from '../kubernetes/client/errors.ts';
import type { ControllerRevision, ReplicaSet } from '../kubernetes/objects/kinds.ts';
import { nameOf, type KubernetesObject } from '../kubernetes/objects/object.ts';
import type { Pod, PodTemplate } from '../kubernetes/objects/pod-kinds.ts';
import { resources } from '../kubernetes/objects/resources.ts';
import { hashIn, hasSameEffect, isUpToDate } from '../etcd-cluster/pods/membership.ts';
import { isCurrent } from '../etcd-cluster/pods/etcd-pods.ts';
import { isRolledOut } from '../components/rollout.ts';
import type { HostSnapshot } from '../instance/snapshot.ts';
import type { PlanSimulation } from './simulate-plan.ts';

/** Replaced Pods of a workload: all, or those with these names. */
export type Replaced = 'all' | readonly string[];

/** Replaced Pods by workload (`kind namespace/name`); no entry means that no Pod is replaced. */
export type Restarts = ReadonlyMap<string, Replaced>;

type Seen = Pick<HostSnapshot, 'objects' | 'pods'>;

/**
 * Determines the running Pods that a simulated change replaces.
 * @throws ApiError, NetworkError if a read or a dry run fails
 */
export async function restartedBy(
  client: KubernetesClient,
  { rounds }: PlanSimulation,
  { objects, pods }: Seen,
): Promise<Restarts> {
  const present = new Map(objects.map((object) => [nameOf(object), object]));
  const found = await Promise.all(
    rounds.flat().map(async ({ what, object }): Promise<[string, Replaced]> => {
      const name = nameOf(object);
      const before = present.get(name);
      if (what === 'remove' || before === undefined || !isWorkload(before)) return [name, []];
      if (isMadeAnew(what, before)) return [name, 'all'];
      const options = { fieldManager: FIELD_MANAGER, force: true, dryRun: true };
      const after = await client.apply(object, options);
      if (!isWorkload(after)) return [name, []];
      if (isDeepStrictEqual(before.spec.template, after.spec.template)) return [name, []];
      if (object.kind === 'StatefulSet' && hasSameEffect(before, object)) return [name, []];
      return [name, isRolledOut(before) ? 'all' : await replacedMidway(client, after, pods)];
    }),
  );
  return new Map(found.filter(([, replaced]) => replaced.length > 0));
}

/**
 * Whether all Pods of a workload are replaced: a create action for an existing workload means that the operator deletes
 * it first. A dry run keeps fields of the Go operator, which the operator takes over before its first apply.
 */
const isMadeAnew = (what: string, { metadata }: KubernetesObject): boolean =>
  what === 'create' || metadata.annotations?.[APPLIED_HASH] === undefined;

/**
 * Determines the Pods that a change replaces during an unfinished rollout. If the change reverts the rollout, Pods of
 * the previous revision still run and stay. Without permission to read revisions the result is `all`.
 */
async function replacedMidway(
  client: KubernetesClient,
  after: Workload,
  pods: readonly Pod[],
): Promise<Replaced> {
  if (hashIn(after) !== undefined) return behind(after, pods);
  const { namespace = '' } = after.metadata;
  const labelSelector = Object.entries(after.spec.selector.matchLabels)
    .map(([label, value]) => `${label}=${value}`)
    .join();
  const ofDeployment = after.kind === 'Deployment';
  const type = ofDeployment ? resources.ReplicaSet : resources.ControllerRevision;
  try {
    const { items } = await client.list(type, { namespace, labelSelector });
    if (ofDeployment) return items.some((item) => hasPodsOf(item, after)) ? [] : 'all';
    return replacedMembers(after, items, pods);
  } catch (error) {
    if (isStatus(error, 403)) return 'all';
    throw error;
  }
}

/** Pods of a StatefulSet whose hash annotation differs from that of the Pod template. */
const behind = (set: Workload, pods: readonly Pod[]): readonly string[] =>
  pods
    .filter((pod) => isOwned(pod, set) && !isUpToDate(pod, set))
    .map(({ metadata }) => metadata.name)
    .sort();

const isOwned = (owned: KubernetesObject, { metadata: { uid } }: Workload): boolean =>
  owned.metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;

/** Label that the Deployment controller adds to the Pod template of a ReplicaSet. */
const HASH = 'pod-template-hash';

function withoutHash(template: PodTemplate | undefined): PodTemplate {
  const labels = Object.entries(template?.metadata?.labels ?? {});
  const own = Object.fromEntries(labels.filter(([label]) => label !== HASH));
  return { ...template, metadata: { ...template?.metadata, labels: own } };
}

/** Whether a ReplicaSet has the Pod template of the Deployment and enough ready Pods for all replicas. */
export function hasPodsOf(replicaSet: ReplicaSet, deployment: Workload): boolean {
  if (!isOwned(replicaSet, deployment)) return false;
  const { readyReplicas = 0 } = replicaSet.status ?? {};
  const { replicas = 1 } = deployment.spec;
  return (
    isDeepStrictEqual(withoutHash(replicaSet.spec?.template), deployment.spec.template) &&
    readyReplicas >= replicas
  );
}

/** Whether a ControllerRevision, stored as a strategic merge patch, has the Pod template of the StatefulSet. */
function isOfTemplate(revision: ControllerRevision, set: Workload): boolean {
  const { template } = revision.data?.spec ?? {};
  // Kubernetes before 1.34 stores creationTimestamp: null.
  const said = Object.entries(template?.metadata ?? {}).filter(([, value]) => value !== null);
  const plain = { ...template, metadata: Object.fromEntries(said) };
  return isDeepStrictEqual(plain, { ...set.spec.template, $patch: 'replace' });
}

/**
 * Returns the Pods of a StatefulSet whose revision differs from that of the Pod template. If a former Pod template is
 * restored, the StatefulSet controller reuses the existing ControllerRevision.
 */
export function replacedMembers(
  set: Workload,
  revisions: readonly ControllerRevision[],
  pods: readonly Pod[],
): Replaced {
  const matching = revisions.filter(
    (revision) => isOwned(revision, set) && isOfTemplate(revision, set),
  );
  if (matching.length === 0) return 'all';
  const stays = (pod: Pod): boolean =>
    matching.some(({ metadata }) => isCurrent(pod, metadata.name));
  return pods
    .filter((pod) => isOwned(pod, set) && !stays(pod))
    .map(({ metadata }) => metadata.name)
    .sort();
}
