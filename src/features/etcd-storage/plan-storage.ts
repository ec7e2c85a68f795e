/**
 * Replacement of unbound etcd PVCs, such as PVCs with a misspelled StorageClass: pure. They were never written to, so
 * a corrected spec may apply. `plan-etcd.ts` blocks changes of storage that may contain data.
 */
import { APPLIED_HASH, differences } from '../../kubernetes/objects/compare.ts';
import type { PersistentVolumeClaim, StatefulSet } from '../../kubernetes/objects/kinds.ts';
import {
  isTerminating,
  nameOf,
  pending,
  type KubernetesObject,
} from '../../kubernetes/objects/object.ts';
import type { DesiredObject } from '../../instance/desired-objects.ts';
import { isPaused, PAUSE_REPAIR } from '../../instance/pause.ts';
import type { HostSnapshot } from '../../instance/snapshot.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import {
  claimsByPod,
  isOwnClaim,
  blockingFinalizers,
} from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import { etcdPods, neverRan } from '../../etcd-cluster/pods/etcd-pods.ts';
import {
  claimsOf,
  hasOtherStorage,
  specOf,
  type ClaimTemplate,
} from '../../etcd-cluster/pods/stateful-set.ts';
import type { Replacement } from '../../actions/action.ts';

/** Live etcd objects. */
export interface EtcdObjects extends Pick<HostSnapshot, 'pods' | 'claims'> {
  readonly statefulSet: StatefulSet | undefined;
}

/**
 * Plans the replacement of etcd storage. Deletes the StatefulSet first, because its controller would recreate the
 * PVCs, then the PVCs. Never deletes a PVC that a Pod may use: Kubernetes would delete it with its data when that Pod
 * ends.
 * @param name `metadata.name` of the Karmada
 * @returns undefined if the StatefulSet may be written, or its update must be blocked
 */
export function storageReplacement(
  name: string,
  wanted: DesiredObject,
  { statefulSet, pods, claims }: EtcdObjects,
): Replacement | undefined {
  const own = claims.filter((claim) => isOwnClaim(claim, name));
  const members = etcdPods(pods);
  if (statefulSet !== undefined) {
    const applied = statefulSet.metadata.annotations?.[APPLIED_HASH] === wanted.hash;
    if (applied || !hasOtherStorage(statefulSet, wanted.object)) return undefined;
    if (!isUnwritten(statefulSet, members, own)) return undefined;
    return { wanted, remove: pending([statefulSet]), blockedChanges: [] };
  }
  const [template] = claimsOf(specOf(wanted.object));
  const useless = own.filter((claim) => isUnbound(claim) && !isFor(claim, template));
  if (useless.length === 0) return undefined;
  const free = useless.filter((claim) => !isPaused(claim));
  const remove = members.length === 0 ? pending(free) : [];
  return { wanted, remove, blockedChanges: useless.flatMap((claim) => keptHold(wanted, claim)) };
}

/** Only a pause, or a finalizer of another controller, delays the deletion of an unbound PVC. */
function keptHold(wanted: DesiredObject, claim: PersistentVolumeClaim): readonly BlockedChange[] {
  if (isPaused(claim)) {
    const message = `${nameOf(claim)}: this unbound PVC is not replaced, because of its annotation ${PAUSE_REPAIR}=true; without the annotation the operator continues and creates ${nameOf(wanted.object)}`;
    return [{ step: 'etcd', reason: 'RepairPaused', message }];
  }
  const keepers = blockingFinalizers(claim);
  if (!isTerminating(claim) || keepers.length === 0) return [];
  const message = `${nameOf(claim)}: deletion of this unbound PVC is blocked by its finalizer ${keepers.join(', ')}; the operator creates ${nameOf(wanted.object)} after the deletion, check the controller of the finalizer`;
  return [{ step: 'etcd', reason: 'EtcdPVCDeletionBlocked', message }];
}

/** Whether no member can have written data: no Pod has run, and no PVC has a volume. */
function isUnwritten(
  statefulSet: StatefulSet,
  members: readonly KubernetesObject[],
  claims: readonly PersistentVolumeClaim[],
): boolean {
  if (claimsOf(specOf(statefulSet)).length === 0 || members.length === 0) return false;
  const claimed = claimsByPod(claims, members);
  const hasClaim = ({ metadata }: KubernetesObject): boolean => claimed.has(metadata.name);
  return claims.every(isUnbound) && members.every((pod) => neverRan(pod) && hasClaim(pod));
}

/**
 * Whether a PVC is unbound and no volume was selected for it. With the StorageClass "" a PVC waits for a preselected
 * volume.
 */
export function isUnbound(claim: PersistentVolumeClaim): boolean {
  const { spec = {}, status = {} } = claim;
  const { storageClassName, volumeName = '', selector, dataSource, dataSourceRef } = spec;
  const chosen = selector ?? dataSource ?? dataSourceRef;
  const free = storageClassName !== '' && volumeName === '' && chosen === undefined;
  return status.phase === 'Pending' && free;
}

/**
 * Whether a PVC matches the volumeClaimTemplate. Without a StorageClass in the template the API server chooses one,
 * so a live PVC may have a different one.
 */
function isFor(claim: PersistentVolumeClaim, template: ClaimTemplate | undefined): boolean {
  const { storageClassName } = template?.spec ?? {};
  if (template?.spec === undefined || storageClassName === undefined) return false;
  return differences(claim, { ...claim, spec: template.spec }).length === 0;
}
