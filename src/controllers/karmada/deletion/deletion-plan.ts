/** Plans the next step of a deletion from the remaining objects. Pure functions. */
import { isNamedForEtcd } from '../../../api/external-etcd.ts';
import type { Karmada } from '../../../api/karmada.ts';
import { instanceName } from '../../../api/naming.ts';
import type { PersistentVolumeClaim } from '../../../kubernetes/objects/kinds.ts';
import { nameOf, pending, type KubernetesObject } from '../../../kubernetes/objects/object.ts';
import type { Pod } from '../../../kubernetes/objects/pod-kinds.ts';
import { parseTime } from '../../../kubernetes/time/time.ts';
import {
  isOwnClaim,
  blockingFinalizers,
} from '../../../etcd-cluster/storage/persistent-volume-claims.ts';
import { endsSoon } from '../../../etcd-cluster/pods/short-grace.ts';
import { COMPONENT } from '../../../api/labels.ts';

/** Live objects of one control plane, without objects of other owners. */
export interface RemainingObjects {
  readonly objects: readonly KubernetesObject[];
  /** Pods of the workloads, metadata only. */
  readonly pods: readonly Pod[];
  /** PVCs with the names that the etcd StatefulSet gives them. */
  readonly claims: readonly PersistentVolumeClaim[];
  /** Names of other Pods that use a terminating PVC, by the name of the PVC. */
  readonly claimUsers: ReadonlyMap<string, readonly string[]>;
}

/** One step of a deletion. */
export interface DeletionStep {
  readonly remove: readonly KubernetesObject[];
  /**
   * Pods to delete with a shorter grace period, since no client needs them. Running Pods are among them: garbage
   * collection would give them the full period, and the kubelet does not shorten a preStop hook that already runs.
   */
  readonly hurry: readonly KubernetesObject[];
  /** Whether no object is left to delete. */
  readonly done: boolean;
  /** Message about Pods or finalizers of other owners that block the deletion of a PVC. */
  readonly waitsFor?: string;
}

/** Whether the PVCs of etcd are kept or deleted with the Karmada. */
export type ClaimRetention = 'Retain' | 'Delete';

/** Retention of the etcd PVCs. Only an explicit `Delete` deletes them. */
export function retentionOf({ spec }: Pick<Karmada, 'spec'>): ClaimRetention {
  const policy = spec?.components?.etcd?.local?.persistentVolumeClaimRetentionPolicy;
  return policy?.whenDeleted === 'Delete' ? 'Delete' : 'Retain';
}

/** Milliseconds for which a PVC in use by another Pod delays the deletion. Kubernetes deletes it after that Pod. */
const CLAIM_TIMEOUT_MS = 60_000;

/** Time in milliseconds after which an overdue terminating Pod counts as lost with its node and delays nothing. */
const LOST_AFTER_MS = 60_000;

/** Kinds that Pods use or need until they have ended. */
const LAST_KINDS: ReadonlySet<string> = new Set(['Secret', 'NetworkPolicy']);

const isEtcd = (object: KubernetesObject): boolean =>
  object.metadata.labels?.[COMPONENT] === 'etcd';

function isLost({ metadata }: KubernetesObject, now: number): boolean {
  const ends = metadata.deletionTimestamp;
  return ends !== undefined && now - parseTime(ends) > LOST_AFTER_MS;
}

/**
 * Whether a Pod needs a shorter grace period. A Pod created after the deletion of the Karmada replaces one that was
 * deleted that way: garbage collection has not removed its ReplicaSet yet, which would create yet another Pod.
 */
function isSlow({ metadata }: KubernetesObject, karmada: Pick<Karmada, 'metadata'>): boolean {
  if (metadata.deletionTimestamp !== undefined) return !endsSoon(metadata);
  const { creationTimestamp } = metadata;
  const deletedAt = karmada.metadata.deletionTimestamp;
  if (creationTimestamp === undefined || deletedAt === undefined) return true;
  return parseTime(creationTimestamp) <= parseTime(deletedAt);
}

/**
 * Returns the next step of a deletion. Components that write go before etcd, since a kube-apiserver without etcd takes
 * one minute to terminate. PVCs, Secrets and NetworkPolicies are deleted after the last Pod. If PVCs are kept, the CA backup Secret
 * stays too: a Karmada created later with this name finds its data and the matching keys.
 * @param now wall clock in milliseconds
 */
export function planDeletion(
  karmada: Pick<Karmada, 'metadata' | 'spec'>,
  remains: RemainingObjects,
  now: number,
): DeletionStep {
  const { name } = karmada.metadata;
  const living = remains.pods.filter((pod) => !isLost(pod, now));
  const ordered = remains.objects.filter(({ kind }) => !LAST_KINDS.has(kind));
  const writers = ordered.filter((object) => !isEtcd(object));
  const writerPods = living.filter((pod) => !isEtcd(pod));
  if (writers.length > 0 || writerPods.length > 0) {
    const hurry = writerPods.filter((pod) => isSlow(pod, karmada));
    return { remove: pending(writers), hurry, done: false };
  }
  if (ordered.length > 0 || living.length > 0) {
    return { remove: pending(ordered), hurry: [], done: false };
  }
  const claimsGo = retentionOf(karmada) === 'Delete';
  const claims = claimsGo ? claimsStep(name, remains, now) : undefined;
  if (claims !== undefined) return claims;
  const kept = claimsGo
    ? remains.claims.filter((claim) => !isOwnClaim(claim, name))
    : remains.claims;
  const backup = kept.length > 0 ? instanceName(name, 'ca-backup') : '';
  const last = remains.objects.filter(
    ({ metadata }) => metadata.name !== backup && !isNamedForEtcd(karmada, metadata),
  );
  return { remove: pending(last), hurry: [], done: last.length === 0 };
}

/** The step that deletes the PVCs; undefined if none is left to wait for. */
function claimsStep(
  name: string,
  remains: RemainingObjects,
  now: number,
): DeletionStep | undefined {
  const own = remains.claims.filter((claim) => isOwnClaim(claim, name));
  const left = own.filter((claim) => !endsWithItsUser(claim, remains, now));
  if (left.length === 0) return undefined;
  const waits = left.flatMap((claim) => holderOf(claim, remains)).join('; ');
  return {
    remove: pending(left),
    hurry: [],
    done: false,
    ...(waits !== '' && { waitsFor: waits }),
  };
}

/** Whether only another Pod blocks a terminating PVC, and for so long that the deletion no longer waits for it. */
function endsWithItsUser(
  claim: PersistentVolumeClaim,
  { claimUsers }: RemainingObjects,
  now: number,
): boolean {
  const { name, deletionTimestamp } = claim.metadata;
  const onlyInUse = blockingFinalizers(claim).length === 0;
  if (deletionTimestamp === undefined || !onlyInUse || !claimUsers.has(name)) return false;
  return now - parseTime(deletionTimestamp) > CLAIM_TIMEOUT_MS;
}

/** Messages about the Pods and finalizers of other owners that block a terminating PVC. */
function holderOf(
  claim: PersistentVolumeClaim,
  { claimUsers }: RemainingObjects,
): readonly string[] {
  const { name, deletionTimestamp } = claim.metadata;
  if (deletionTimestamp === undefined) return [];
  const others = blockingFinalizers(claim);
  const users = claimUsers.get(name) ?? [];
  return [
    ...(users.length === 0
      ? []
      : [
          `${nameOf(claim)}: still used by Pod ${users.join(', ')}; the deletion continues when no Pod uses it`,
        ]),
    ...(others.length === 0
      ? []
      : [
          `${nameOf(claim)}: deletion blocked by finalizer ${others.join(', ')}; check the controller that set it`,
        ]),
  ];
}
