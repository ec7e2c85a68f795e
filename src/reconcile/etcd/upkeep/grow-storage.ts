/** Expands the PVCs of a local etcd, and deletes its StatefulSet without the Pods, after live reads. */
import { FIELD_MANAGER } from '../../../api/karmada.ts';
import { isOurs } from '../../../api/labels.ts';
import type { Applier } from '../../../kubernetes/apply.ts';
import type { KubernetesClient } from '../../../kubernetes/client-interface.ts';
import { ApiError, isNotFound, isStatus } from '../../../kubernetes/errors.ts';
import { isTerminating, nameOf, type KubernetesObject } from '../../../kubernetes/object.ts';
import { keyOf, resources } from '../../../kubernetes/resources.ts';
import type { Host } from '../../../host-clusters/host.ts';
import type { GrowEtcdStorage } from '../../action.ts';
import type { Done } from '../../execution-result.ts';
import type { Snapshot } from '../../snapshot.ts';
import { decideEtcdBirth } from '../birth/decide.ts';
import { storageOf } from '../birth/birth.ts';
import { readEvidence } from '../birth/evidence.ts';
import { membersIn } from '../membership.ts';
import { claimGrowth } from './claim-growth.ts';

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
  const { namespace = '' } = statefulSet.metadata;
  const [live, claims, classes] = await Promise.all([
    client.find(resources.StatefulSet, keyOf(statefulSet)),
    client.list(resources.PersistentVolumeClaim, { namespace }),
    client.list(resources.StorageClass),
  ]);
  if (live === undefined || live.metadata.uid !== statefulSet.metadata.uid) return {};
  if (isTerminating(live) || !isOurs(live, name)) return {};
  const objects = { statefulSet: live, claims: claims.items, storageClasses: classes.items };
  const step = claimGrowth(name, wanted, objects, snapshot.missingRights);
  switch (step?.kind) {
    case 'blocked':
      return { blockedChange: step.blockedChange };
    case 'expand':
      return expand(client, step.claims, step.storage);
    case 'recreate':
      return orphan(tools, snapshot, live);
    case undefined:
      return {};
  }
}

/** Expands PVCs of the version that was read. */
async function expand(
  client: KubernetesClient,
  claims: readonly KubernetesObject[],
  storage: string,
): Promise<Done> {
  const done = await Promise.all(claims.map((claim) => expandOne(client, claim, storage)));
  const refused = done.find(({ blockedChange }) => blockedChange !== undefined);
  return { ...refused, writes: done.reduce((sum, { writes = 0 }) => sum + writes, 0) };
}

async function expandOne(
  client: KubernetesClient,
  claim: KubernetesObject,
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
async function orphan(
  { client, rights, applier }: GrowTools,
  snapshot: Snapshot,
  live: KubernetesObject,
): Promise<Done> {
  const { karmada, certificates } = snapshot;
  const view = certificates.state === 'valid' ? certificates.view : certificates.last;
  const read = await readEvidence({ client, rights }, karmada, view?.etcdAuthorities ?? []);
  const { statefulSet: _, ...evidence } = read.evidence;
  const members = membersIn(live);
  const wanted = { replicas: members, storage: storageOf(snapshot) };
  const birth = decideEtcdBirth(evidence, wanted);
  if (birth.kind !== 'existing' || birth.members !== members)
    return {
      blockedChange: {
        step: 'etcd',
        reason: 'EtcdStorageBlocked',
        message: `${nameOf(live)}: not recreated for the new size of its PVCs, because ${'message' in birth ? birth.message : `the PVCs are those of ${String(birth.members)} etcd members instead of ${String(members)}`}; the PVCs are expanded, and the Pods keep running`,
      },
    };
  const { uid, resourceVersion } = live.metadata;
  if (uid === undefined || resourceVersion === undefined) return {};
  try {
    const precondition = { uid, resourceVersion, propagationPolicy: 'Orphan' } as const;
    await client.delete(resources.StatefulSet, keyOf(live), precondition);
  } catch (error) {
    if (isNotFound(error) || isStatus(error, 409)) return {};
    throw error;
  }
  applier.forget(live);
  return { writes: 1 };
}
