/**
 * Everything that a reconcile may write, as values: decisions return actions, and `act.ts` alone carries them out. A new
 * kind of write is a kind here, an executor, and the decision that returns it.
 */
import type { Access } from '../external-etcd/credentials.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { WantedMember } from '../members/members.ts';
import type { InstanceOwner } from '../members/tasks.ts';
import type { PkiInputs } from '../pki/types.ts';
import type { DesiredObject, Place } from './desired.ts';
import type { EtcdRecord } from './etcd/birth/record.ts';
import type { DueStamp } from './etcd/birth/stamps.ts';
import type { Replacement } from './etcd/plan-storage.ts';
import type { ExternalEtcdSnapshot, Snapshot } from './snapshot.ts';

/** Create the object, or change it to what is wanted. */
export interface Apply {
  readonly kind: 'apply';
  readonly target: DesiredObject;
  /** What the cache has of it. */
  readonly cached?: KubernetesObject;
}

/** Delete an object that is no longer wanted. */
export interface Remove {
  readonly kind: 'remove';
  readonly place: Place;
  readonly object: KubernetesObject;
}

/** Create the namespace on a host cluster. */
export interface CreateNamespace {
  readonly kind: 'createNamespace';
  readonly name: string;
}

/** Copy a Secret for image pulls to the host cluster. */
export interface CopyPullSecret {
  readonly kind: 'copyPullSecret';
  readonly name: string;
  readonly cached?: KubernetesObject;
}

/** Copy the administrator's kubeconfig from the host cluster to the namespace of the Karmada. */
interface CopyKubeconfig {
  readonly kind: 'copyKubeconfig';
  readonly cached?: KubernetesObject;
}

/** Copy the Secret of an external etcd to where the pods can mount it. */
export interface CopyEtcdSecret {
  readonly kind: 'copyEtcdSecret';
  readonly secret: ExternalEtcdSnapshot['secret'];
  /** What was seen to work. */
  readonly access: Access;
  readonly cached?: KubernetesObject;
}

/** Read the certificates, issue what is due, and write the Secrets of which repair is not paused. */
interface IssueCertificates {
  readonly kind: 'issueCertificates';
  readonly inputs: PkiInputs;
  readonly snapshot: Pick<Snapshot, 'karmada' | 'spec' | 'host'>;
}

/** Write the record of an etcd cluster. */
export interface RecordEtcd {
  readonly kind: 'recordEtcd';
  /** The Secret with the backup of the CAs, as the cache has it. */
  readonly backup: KubernetesObject;
  readonly record: EtcdRecord;
}

/** Note on a claim whose data it holds. */
export interface AnnotateClaim {
  readonly kind: 'annotateClaim';
  readonly stamp: DueStamp;
}

/** Delete the StatefulSet of an etcd whose data is given up; its claims stay. */
interface AbandonEtcd {
  readonly kind: 'abandonEtcd';
  readonly statefulSet: KubernetesObject;
}

/** Restart one member of etcd that has an older pod template. */
export interface RestartEtcdMember {
  readonly kind: 'restartEtcdMember';
  readonly statefulSet: KubernetesObject;
}

/** Delete storage of etcd to which nothing was ever written. */
export interface ReplaceEtcdStorage {
  readonly kind: 'replaceEtcdStorage';
  readonly replacement: Replacement;
}

/** Give the member clusters of estimators their access, and take it back from those that have none any more: in the background. */
export interface TendMembers {
  readonly kind: 'tendMembers';
  readonly owner: InstanceOwner;
  readonly wanted: readonly WantedMember[];
  /** Secrets of members that no longer get one. */
  readonly leaving: readonly KubernetesObject[];
}

export type Action =
  | Apply
  | Remove
  | CreateNamespace
  | CopyPullSecret
  | CopyKubeconfig
  | CopyEtcdSecret
  | IssueCertificates
  | RecordEtcd
  | AnnotateClaim
  | AbandonEtcd
  | RestartEtcdMember
  | ReplaceEtcdStorage
  | TendMembers;

export type ActionOf<K extends Action['kind']> = Extract<Action, { readonly kind: K }>;

/** The actions of one kind, in their order. */
export function ofKind<K extends Action['kind']>(
  actions: readonly Action[],
  kind: K,
): readonly ActionOf<K>[] {
  return actions.filter((action): action is ActionOf<K> => action.kind === kind);
}

/**
 * What an action writes to, as the cache has it; undefined for what is not there yet, and where the executor decides about
 * each object itself.
 */
export function subjectOf(action: Action): KubernetesObject | undefined {
  if ('cached' in action) return action.cached;
  if ('statefulSet' in action) return action.statefulSet;
  if ('object' in action) return action.object;
  if ('backup' in action) return action.backup;
  return 'stamp' in action ? action.stamp.claim : undefined;
}
