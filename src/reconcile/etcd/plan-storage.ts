/**
 * Storage of etcd that never came to be, such as claims of a StorageClass that is not there: pure. Nothing was ever
 * written to it, so that a changed wish can be carried out; what may hold data is held instead (`plan-etcd.ts`).
 */
import { APPLIED_HASH, differences } from '../../kubernetes/compare.ts';
import { isEnding, nameOf, pending, type KubernetesObject } from '../../kubernetes/object.ts';
import type { DesiredObject } from '../desired.ts';
import type { HostSnapshot } from '../snapshot.ts';
import type { Hold } from '../hold.ts';
import { isClaimOf, isOwnClaim, keptBy } from './claims.ts';
import { membersOf, neverRan } from './member-pods.ts';
import { claimsOf, hasOtherStorage, specOf, type ClaimTemplate } from './stateful-set.ts';

/** What goes before a StatefulSet with other storage is made. */
export interface Replacement {
  /** The StatefulSet that is wanted. */
  readonly wanted: DesiredObject;
  /** What is deleted now; nothing while what was deleted is still there. */
  readonly remove: readonly KubernetesObject[];
  /** What somebody else has to do first. */
  readonly holds: readonly Hold[];
}

/** What there is of etcd. */
export interface EtcdRemains extends Pick<HostSnapshot, 'pods' | 'claims'> {
  readonly statefulSet: KubernetesObject | undefined;
}

/**
 * How etcd's storage becomes the one that is wanted: the StatefulSet goes first, since it would make its claims again,
 * then the claims that it left. A claim that a pod may use is never deleted: it would go with its data when that pod ends.
 * @param name `metadata.name` of the Karmada
 * @returns undefined when the StatefulSet may be written, or has to be held
 */
export function storageReplacement(
  name: string,
  wanted: DesiredObject,
  { statefulSet, pods, claims }: EtcdRemains,
): Replacement | undefined {
  const own = claims.filter((claim) => isOwnClaim(claim, name));
  const members = membersOf(pods);
  if (statefulSet !== undefined) {
    const applied = statefulSet.metadata.annotations?.[APPLIED_HASH] === wanted.hash;
    if (applied || !hasOtherStorage(statefulSet, wanted.object)) return undefined;
    if (!isUnwritten(statefulSet, members, own)) return undefined;
    return { wanted, remove: pending([statefulSet]), holds: [] };
  }
  const [template] = claimsOf(specOf(wanted.object));
  const useless = own.filter((claim) => isUnbound(claim) && !isFor(claim, template));
  if (useless.length === 0) return undefined;
  const remove = members.length === 0 ? pending(useless) : [];
  return { wanted, remove, holds: useless.flatMap((claim) => keptHold(wanted, claim)) };
}

/** Without a finalizer of somebody else a claim is gone in no time. */
function keptHold(wanted: DesiredObject, claim: KubernetesObject): readonly Hold[] {
  const keepers = keptBy(claim);
  if (!isEnding(claim) || keepers.length === 0) return [];
  const message = `${nameOf(wanted.object)} is made when ${nameOf(claim)}, which never had a volume, is gone: it is kept by its finalizer ${keepers.join(', ')}`;
  return [{ step: 'etcd', reason: 'EtcdClaimKept', message }];
}

/** Whether no member has ever had a place to write to: none has run, and no claim has a volume. */
function isUnwritten(
  statefulSet: KubernetesObject,
  members: readonly KubernetesObject[],
  claims: readonly KubernetesObject[],
): boolean {
  if (claimsOf(specOf(statefulSet)).length === 0 || members.length === 0) return false;
  const hasClaim = (pod: KubernetesObject): boolean =>
    claims.some((claim) => isClaimOf(claim, pod));
  return claims.every(isUnbound) && members.every((pod) => neverRan(pod) && hasClaim(pod));
}

interface Claim {
  readonly spec?: {
    readonly storageClassName?: string;
    readonly volumeName?: string;
    readonly selector?: object;
    readonly dataSource?: object;
    readonly dataSourceRef?: object;
  };
  readonly status?: { readonly phase?: string };
}

/** Whether a claim has no volume, and none that somebody chose for it: with the class '' it waits for such a one. */
export function isUnbound(claim: KubernetesObject): boolean {
  const { spec = {}, status = {} } = claim as Claim;
  const { storageClassName, volumeName = '', selector, dataSource, dataSourceRef } = spec;
  const chosen = selector ?? dataSource ?? dataSourceRef;
  const free = storageClassName !== '' && volumeName === '' && chosen === undefined;
  return status.phase === 'Pending' && free;
}

/**
 * Whether a claim is what a StatefulSet with that template would make. Of a template without a StorageClass the API
 * server decides, so that what is there may be of another one.
 */
function isFor(claim: KubernetesObject, template: ClaimTemplate | undefined): boolean {
  const { storageClassName } = (template?.spec ?? {}) as { storageClassName?: string };
  if (template?.spec === undefined || storageClassName === undefined) return false;
  return differences(claim, { ...claim, spec: template.spec }).length === 0;
}
