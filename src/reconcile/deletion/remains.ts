/** What is left of an instance while it is being deleted, and what comes next: pure. */
import { isNamedForEtcd } from '../../api/external-etcd.ts';
import type { Karmada } from '../../api/karmada.ts';
import { instanceName } from '../../api/naming.ts';
import { nameOf, pending, type KubernetesObject } from '../../kubernetes/object.ts';
import { isOwnClaim, keptBy } from '../etcd/claims.ts';
import { COMPONENT } from '../../api/labels.ts';

/** Live objects of one instance, without anybody else's. */
export interface Remains {
  readonly objects: readonly KubernetesObject[];
  /** Pods of its workloads, metadata only. */
  readonly pods: readonly KubernetesObject[];
  /** Claims with the names of its etcd's. */
  readonly claims: readonly KubernetesObject[];
  /** Names of the pods, not its own, that use a claim which is ending, by the claim's name. */
  readonly claimUsers: ReadonlyMap<string, readonly string[]>;
}

/** One pass of a deletion. */
export interface DeletionStep {
  readonly remove: readonly KubernetesObject[];
  /**
   * Pods that need not take their time: nobody is served any more. Those that do not end yet are among them, since
   * garbage collection would give them all their time, and a kubelet that drains one does not stop to look again.
   */
  readonly hurry: readonly KubernetesObject[];
  /** Nothing is left that this deletion is about. */
  readonly done: boolean;
  /** What somebody else has to end first, in a whole sentence. */
  readonly waitsFor?: string;
}

/** What becomes of etcd's claims when the Karmada is deleted. */
export type ClaimRetention = 'Retain' | 'Delete';

/** What the object says about the claims of its etcd; they are kept unless it says in so many words that not. */
export function retentionOf({ spec }: Pick<Karmada, 'spec'>): ClaimRetention {
  const policy = spec?.components?.etcd?.local?.persistentVolumeClaimRetentionPolicy;
  return policy?.whenDeleted === 'Delete' ? 'Delete' : 'Retain';
}

/** Seconds that a pod gets: the API server ends in one, an etcd that lost its clients too. */
export const HURRIED_SECONDS = 2;

/** A claim that a stranger's pod keeps ends with that pod; the Karmada does not stay for longer than this. */
const CLAIM_PATIENCE_MS = 60_000;

/** A pod that should have ended this long ago is on a node that is gone; it holds nothing up. */
const LOST_AFTER_MS = 60_000;

const isEtcd = (object: KubernetesObject): boolean =>
  object.metadata.labels?.[COMPONENT] === 'etcd';

function isLost({ metadata }: KubernetesObject, now: number): boolean {
  const ends = metadata.deletionTimestamp;
  return ends !== undefined && now - Date.parse(ends) > LOST_AFTER_MS;
}

/**
 * Whether a pod would take longer than it needs to. A pod that was created since the Karmada was deleted takes the place of
 * one that was hurried: its ReplicaSet is still there, as garbage collection has not come to it, and would create another.
 */
function isSlow({ metadata }: KubernetesObject, karmada: Pick<Karmada, 'metadata'>): boolean {
  if (metadata.deletionTimestamp !== undefined) return graceOf(metadata) > HURRIED_SECONDS;
  const { creationTimestamp } = metadata;
  const deletedAt = karmada.metadata.deletionTimestamp;
  if (creationTimestamp === undefined || deletedAt === undefined) return true;
  return Date.parse(creationTimestamp) <= Date.parse(deletedAt);
}

function graceOf(metadata: object): number {
  const { deletionGracePeriodSeconds = 0 } = metadata as { deletionGracePeriodSeconds?: number };
  return deletionGracePeriodSeconds;
}

/**
 * What a deletion does now. The writers go before etcd: a kube-apiserver whose etcd is gone takes a minute to end.
 * Claims, should they go, and Secrets go when no pod is left that may write. With claims that stay the copy of the
 * authorities stays too: a Karmada of that name made later finds its data, and the keys that go with it.
 * @param now wall clock in milliseconds
 */
export function deletionStep(
  karmada: Pick<Karmada, 'metadata' | 'spec'>,
  remains: Remains,
  now: number,
): DeletionStep {
  const { name } = karmada.metadata;
  const living = remains.pods.filter((pod) => !isLost(pod, now));
  const ordered = remains.objects.filter(({ kind }) => kind !== 'Secret');
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
  const secrets = remains.objects.filter(
    ({ metadata }) => metadata.name !== backup && !isNamedForEtcd(karmada, metadata),
  );
  return { remove: pending(secrets), hurry: [], done: secrets.length === 0 };
}

/** The claims' turn; undefined when it is over. */
function claimsStep(name: string, remains: Remains, now: number): DeletionStep | undefined {
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

/** Whether nothing but somebody else's pod keeps an ending claim, for so long that it is left to that pod. */
function endsWithItsUser(claim: KubernetesObject, { claimUsers }: Remains, now: number): boolean {
  const { name, deletionTimestamp } = claim.metadata;
  const onlyInUse = keptBy(claim).length === 0;
  if (deletionTimestamp === undefined || !onlyInUse || !claimUsers.has(name)) return false;
  return now - Date.parse(deletionTimestamp) > CLAIM_PATIENCE_MS;
}

/** Who has to let go of a claim that is ending, when it is not just the control plane's turn. */
function holderOf(claim: KubernetesObject, { claimUsers }: Remains): readonly string[] {
  const { name, deletionTimestamp } = claim.metadata;
  if (deletionTimestamp === undefined) return [];
  const others = keptBy(claim);
  const users = claimUsers.get(name) ?? [];
  return [
    ...(users.length === 0
      ? []
      : [`${nameOf(claim)} is used by pod ${users.join(', ')}; end that pod`]),
    ...(others.length === 0
      ? []
      : [`${nameOf(claim)} is kept by its finalizer ${others.join(', ')}`]),
  ];
}
