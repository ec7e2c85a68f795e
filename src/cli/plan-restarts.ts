/** Which workloads have their pods replaced: reads and dry runs. */
import { isDeepStrictEqual } from 'node:util';
import { FIELD_MANAGER } from '../api/karmada.ts';
import { isWorkload, type Workload } from '../components/workload.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { isStatus } from '../kubernetes/errors.ts';
import { nameOf, type KubernetesObject } from '../kubernetes/object.ts';
import { resources } from '../kubernetes/resources.ts';
import { hashIn, hasSameEffect, isUpToDate } from '../reconcile/etcd/membership.ts';
import { isCurrent } from '../reconcile/etcd/member-pods.ts';
import { isRolledOut } from '../reconcile/rollout.ts';
import type { HostSnapshot } from '../reconcile/snapshot.ts';
import type { Forecast } from './forecast.ts';

/** Of a workload, the pods that are replaced: all of them, or those with these names. */
export type Replaced = 'all' | readonly string[];

/** What is replaced of each workload, by `kind namespace/name`; of one that is not named, nothing. */
export type Restarts = ReadonlyMap<string, Replaced>;

type Seen = Pick<HostSnapshot, 'objects' | 'pods'>;

/** Pods that are not those that run now, once a forecast has come true. */
export async function restartedBy(
  client: KubernetesClient,
  { rounds }: Forecast,
  { objects, pods }: Seen,
): Promise<Restarts> {
  const present = new Map(objects.map((object) => [nameOf(object), object]));
  const found = await Promise.all(
    rounds.flat().map(async ({ what, object }): Promise<[string, Replaced]> => {
      const name = nameOf(object);
      const before = present.get(name);
      if (what === 'remove' || before === undefined || !isWorkload(before)) return [name, []];
      // It is deleted first.
      if (what === 'create') return [name, 'all'];
      const options = { fieldManager: FIELD_MANAGER, force: true, dryRun: true };
      const after = (await client.apply(object, options)) as Workload;
      if (isDeepStrictEqual(before.spec.template, after.spec.template)) return [name, []];
      if (object.kind === 'StatefulSet' && hasSameEffect(before, object)) return [name, []];
      return [name, isRolledOut(before) ? 'all' : await replacedMidway(client, after, pods)];
    }),
  );
  return new Map(found.filter(([, replaced]) => replaced.length > 0));
}

/**
 * Pods that are replaced when a workload is changed in mid-rollout. When a rollout is taken back, those from before it
 * run still, and stay. Without the right to read revisions nobody knows, and all pods are told.
 */
async function replacedMidway(
  client: KubernetesClient,
  after: Workload,
  pods: readonly KubernetesObject[],
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

/** Pods of a StatefulSet whose template notes what counts, and that have another note. */
const behind = (set: Workload, pods: readonly KubernetesObject[]): readonly string[] =>
  pods
    .filter((pod) => isOwned(pod, set) && !isUpToDate(pod, set))
    .map(({ metadata }) => metadata.name)
    .sort();

const isOwned = (owned: KubernetesObject, { metadata: { uid } }: Workload): boolean =>
  owned.metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;

/** A label that the Deployment controller adds to the template. */
const HASH = 'pod-template-hash';

/** Whether a ReplicaSet has as many ready pods of the Deployment's template as that wants. */
export function hasPodsOf(replicaSet: KubernetesObject, deployment: Workload): boolean {
  if (!isOwned(replicaSet, deployment)) return false;
  const { template } = (replicaSet as Workload).spec;
  const labels = Object.entries(template.metadata.labels).filter(([label]) => label !== HASH);
  const metadata = { ...template.metadata, labels: Object.fromEntries(labels) };
  const { readyReplicas = 0 } = (replicaSet['status'] ?? {}) as { readyReplicas?: number };
  const { replicas = 1 } = deployment.spec as { replicas?: number };
  return (
    isDeepStrictEqual({ ...template, metadata }, deployment.spec.template) &&
    readyReplicas >= replicas
  );
}

interface RevisionData {
  readonly spec: { readonly template: Workload['spec']['template'] };
}

/** Whether a revision, which is kept as a strategic merge patch, is of the StatefulSet's template. */
function isOfTemplate(revision: KubernetesObject, set: Workload): boolean {
  const { template } = (revision['data'] as RevisionData).spec;
  // Before 1.34 Kubernetes writes a time of creation that is null.
  const said = Object.entries(template.metadata).filter(([, value]) => value !== null);
  const plain = { ...template, metadata: Object.fromEntries(said) };
  return isDeepStrictEqual(plain, { ...set.spec.template, $patch: 'replace' });
}

/**
 * Pods of a StatefulSet that are of another revision than its template. A template that was there before has its
 * revision still, which the StatefulSet controller takes again.
 */
export function replacedMembers(
  set: Workload,
  revisions: readonly KubernetesObject[],
  pods: readonly KubernetesObject[],
): Replaced {
  const wanted = revisions.filter(
    (revision) => isOwned(revision, set) && isOfTemplate(revision, set),
  );
  if (wanted.length === 0) return 'all';
  const stays = (pod: KubernetesObject): boolean =>
    wanted.some(({ metadata }) => isCurrent(pod, metadata.name));
  return pods
    .filter((pod) => isOwned(pod, set) && !stays(pod))
    .map(({ metadata }) => metadata.name)
    .sort();
}
