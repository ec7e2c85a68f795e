/** Expands the PVCs of a local etcd, and deletes its StatefulSet without the Pods, after live reads. */
import { etcdClaimsOf } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import { FIELD_MANAGER } from '../../api/karmada.ts';
import { isOurs } from '../../api/labels.ts';
import type { Applier } from '../../kubernetes/apply/apply.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { isWritten } from '../../kubernetes/client/conditional-write.ts';
import { ApiError, isNotFound, isStatus } from '../../kubernetes/client/errors.ts';
import type { PersistentVolumeClaim } from '../../kubernetes/objects/kinds.ts';
import { isTerminating, nameOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { keyOf, resources } from '../../kubernetes/objects/resources.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { GrowEtcdStorage } from '../../actions/action.ts';
import type { Done } from '../../actions/execution-result.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import {
  decideEtcdBootstrap,
  type EtcdEvidence,
} from '../../etcd-cluster/identity/decide-bootstrap.ts';
import { storageOf } from './bootstrap.ts';
import { readEvidence } from './evidence.ts';
import { membersIn } from '../../etcd-cluster/pods/membership.ts';
import { claimGrowth, type GrowthObjects } from '../etcd-storage/claim-growth.ts';

interface GrowTools {
  readonly client: KubernetesClient;
  readonly rights: Host['rights'];
  readonly applier: Pick<Applier, 'forget'>;
}

/**
 * Executes the next step of a growth: expands all PVCs, or deletes the StatefulSet.
 * @throws ApiError, NetworkError if a retry may succeed
 */
export async function growStorage(
  tools: GrowTools,
  snapshot: Snapshot,
  { statefulSet, wanted }: GrowEtcdStorage,
): Promise<Done> {
  const { client } = tools;
  const { name } = snapshot.karmada.metadata;
  const objects = await readLive(client, statefulSet, name);
  if (objects === undefined || !isOurs(objects.statefulSet, name)) return {};
  const step = claimGrowth(name, wanted, objects, snapshot.missingRights);
  switch (step?.kind) {
    case 'blocked':
      return { blockedChange: step.blockedChange };
    case 'expand':
      return expand(client, step.claims, step.storage);
    case 'recreate':
      return orphan(tools, snapshot, objects.statefulSet);
    case undefined:
      return {};
  }
}

/** @returns undefined if the StatefulSet is another one, or is being deleted */
async function readLive(
  client: KubernetesClient,
  { metadata }: KubernetesObject,
  karmada: string,
): Promise<GrowthObjects | undefined> {
  const { namespace = '', name, uid } = metadata;
  const [statefulSet, claims, classes] = await Promise.all([
    client.find(resources.StatefulSet, { namespace, name }),
    client.list(resources.PersistentVolumeClaim, { namespace, ...etcdClaimsOf(karmada) }),
    client.list(resources.StorageClass),
  ]);
  if (statefulSet?.metadata.uid !== uid || statefulSet === undefined || isTerminating(statefulSet))
    return undefined;
  return { statefulSet, claims: claims.items, storageClasses: classes.items };
}

/** Expands PVCs of the version that was read. */
async function expand(
  client: KubernetesClient,
  claims: readonly PersistentVolumeClaim[],
  storage: string,
): Promise<Done> {
  const done = await Promise.all(claims.map((claim) => expandOne(client, claim, storage)));
  const refused = done.find(({ blockedChange }) => blockedChange !== undefined);
  return { ...refused, writes: done.reduce((sum, { writes = 0 }) => sum + writes, 0) };
}

async function expandOne(
  client: KubernetesClient,
  claim: PersistentVolumeClaim,
  storage: string,
): Promise<Done> {
  const { uid, resourceVersion } = claim.metadata;
  const patch = {
    metadata: { uid, resourceVersion },
    spec: { resources: { requests: { storage } } },
  };
  const options = { fieldManager: FIELD_MANAGER };
  try {
    await client.patch(resources.PersistentVolumeClaim, keyOf(claim), patch, options);
    return { writes: 1 };
  } catch (error) {
    if (isNotFound(error) || isStatus(error, 409)) return {};
    if (!(error instanceof ApiError) || !(error.permanent || error.code === 403)) throw error;
    const message = `${nameOf(claim)}: not expanded to ${storage} (${error.message}); the operator retries, check the ResourceQuotas of the Namespace and the phase of the PVC`;
    return { blockedChange: { step: 'etcd', reason: 'EtcdVolumeExpansionBlocked', message } };
  }
}

/**
 * Deletes the StatefulSet and keeps its Pods, if the operator would then create it with the same members. A crash
 * afterwards is harmless, because the next reconcile finds the PVCs.
 */
async function orphan(tools: GrowTools, snapshot: Snapshot, live: KubernetesObject): Promise<Done> {
  const cause = await notRecreated(tools, snapshot, live);
  if (cause !== undefined) {
    const message = `${nameOf(live)}: not recreated for the new size of its PVCs, because ${cause}; the PVCs are expanded, and the Pods keep running`;
    return { blockedChange: { step: 'etcd', reason: 'EtcdStorageBlocked', message } };
  }
  const { uid, resourceVersion } = live.metadata;
  if (uid === undefined || resourceVersion === undefined) return {};
  const precondition = { uid, resourceVersion, propagationPolicy: 'Orphan' } as const;
  const deletion = tools.client.delete(resources.StatefulSet, keyOf(live), precondition);
  if (!(await isWritten(deletion))) return {};
  tools.applier.forget(live);
  return { writes: 1 };
}

/** Returns why the operator would not create a deleted StatefulSet with the same members. */
async function notRecreated(
  { client, rights }: GrowTools,
  snapshot: Snapshot,
  live: KubernetesObject,
): Promise<string | undefined> {
  const { karmada, certificates } = snapshot;
  const view = certificates.state === 'valid' ? certificates.view : certificates.last;
  const read = await readEvidence({ client, rights }, karmada, view?.etcdAuthorities ?? []);
  const replicas = membersIn(live);
  const evidence = withoutStatefulSet(read.evidence);
  const bootstrap = decideEtcdBootstrap(evidence, { replicas, storage: storageOf(snapshot) });
  if ('message' in bootstrap) return bootstrap.message;
  if (bootstrap.kind === 'existing' && bootstrap.members === replicas) return undefined;
  return `there are PVCs of ${bootstrap.members} etcd members, ${replicas} of which exist (move the PVCs of removed members to other names)`;
}

function withoutStatefulSet(evidence: EtcdEvidence): EtcdEvidence {
  const rest: { statefulSet?: unknown } & EtcdEvidence = { ...evidence };
  delete rest.statefulSet;
  return rest;
}
