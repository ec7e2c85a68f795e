/**
 * Actions: every write that a reconcile may make, as plain values. Decisions return actions, and only
 * `execute-actions.ts` executes them. To add a kind of write, add a kind here, an executor, and the decision that returns it.
 */
import type { KarmadaBackup } from '../api/backup/kinds.ts';
import type { Karmada } from '../api/karmada.ts';
import type { Access } from '../external-etcd/credentials.ts';
import type { StatefulSet } from '../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { Pod } from '../kubernetes/objects/pod-kinds.ts';
import type { DesiredMember } from '../member-clusters/access-manager.ts';
import type { InstanceOwner } from '../member-clusters/access-tasks.ts';
import type { BackupAction } from './backup-action.ts';
import type { IssueCertificates } from './certificates-action.ts';
import type { AdoptObject, KarmadaAction, WriteStatus } from './karmada-action.ts';
import type { RotationAction } from './rotation-action.ts';
import type { DesiredObject } from '../instance/desired-objects.ts';
import type { TargetCluster } from '../control-plane-access/target-cluster.ts';
import type { EtcdRecord } from '../etcd-cluster/identity/record.ts';
import type { MissingClaimAnnotation } from '../etcd-cluster/identity/claim-annotations.ts';
import type { BlockedChange } from '../instance/blocked-change.ts';
import type { ExternalEtcdSnapshot } from '../instance/snapshot.ts';
import type { FailedChange } from '../instance/ready-record.ts';

/** Create or update the object to match the desired state. */
export interface Apply {
  readonly kind: 'apply';
  readonly target: DesiredObject;
  /** The object in the cache; absent if the cache does not contain it. */
  readonly cached?: KubernetesObject;
}

/** Delete an object that is no longer part of the desired state. */
export interface Remove {
  readonly kind: 'remove';
  readonly cluster: TargetCluster;
  readonly object: KubernetesObject;
  /** Whether the control plane counts as complete before the object is gone. */
  readonly isUnawaited?: true;
}

/** Create the namespace of the Karmada on a remote host cluster. */
export interface CreateNamespace {
  readonly kind: 'createNamespace';
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Copy an image pull Secret to the host cluster. */
export interface CopyPullSecret {
  readonly kind: 'copyPullSecret';
  readonly name: string;
  readonly cached?: KubernetesObject;
}

/** Copy the administrator kubeconfig from the host cluster to the namespace of the Karmada. */
interface CopyKubeconfig {
  readonly kind: 'copyKubeconfig';
  readonly cached?: KubernetesObject;
}

/** Copy the client Secret of an external etcd to the namespace in which the Pods can mount it. */
export interface CopyEtcdSecret {
  readonly kind: 'copyEtcdSecret';
  readonly secret: ExternalEtcdSnapshot['secret'];
  /** Credentials that passed the health check. */
  readonly access: Access;
  readonly cached?: KubernetesObject;
}

/** Write the record of an etcd cluster. */
export interface RecordEtcd {
  readonly kind: 'recordEtcd';
  /** The CA backup Secret in the cache. */
  readonly backup: KubernetesObject;
  /** Undefined to delete it. */
  readonly record: EtcdRecord | undefined;
}

/** Record the spec of a ready control plane, to which a failed change returns. */
export interface RecordReadySpec {
  readonly kind: 'recordReadySpec';
  readonly karmada: Karmada;
  readonly cached?: KubernetesObject;
}

/** Record that a change failed, so that the operator returns to the last ready spec. */
export interface RecordFailedChange {
  readonly kind: 'recordFailedChange';
  /** The Secret with the last ready spec. */
  readonly cached: KubernetesObject;
  readonly failed: FailedChange;
}

/** Create the backup before an upgrade. */
interface CreateUpgradeBackup {
  readonly kind: 'createUpgradeBackup';
  readonly backup: KarmadaBackup;
}

/** Annotate a PVC with the etcd cluster and member that its data belongs to. */
export interface AnnotateClaim {
  readonly kind: 'annotateClaim';
  readonly stamp: MissingClaimAnnotation;
}

/** Delete the etcd StatefulSet after the user gave up its data by annotation. The PVCs stay. */
interface AbandonEtcd {
  readonly kind: 'abandonEtcd';
  readonly statefulSet: StatefulSet;
}

/** Restart one etcd member whose Pod has an outdated template. */
export interface RestartEtcdMember {
  readonly kind: 'restartEtcdMember';
  readonly statefulSet: StatefulSet;
}

/** Change the members of an etcd by the steps that the live state allows. */
export interface ChangeEtcdMembers {
  readonly kind: 'changeEtcdMembers';
  readonly statefulSet: StatefulSet;
  /** The StatefulSet with another number of Pods, if that is the next step. */
  readonly scaled?: { readonly replicas: number; readonly target: DesiredObject };
}

/** Rebuild an etcd that lost its quorum from one member, by the steps that the live state allows. */
export interface RecoverEtcd {
  readonly kind: 'recoverEtcd';
  /** The StatefulSet in the cache. */
  readonly statefulSet?: StatefulSet;
  /** The StatefulSet of the new cluster, while its data is restored. */
  readonly restored?: DesiredObject;
}

/** Compact or defragment the databases of an etcd, or disarm its alarm, in the background. */
export interface MaintainEtcd {
  readonly kind: 'maintainEtcd';
  readonly statefulSet: StatefulSet;
}

/** A Pod to exclude from the Services of etcd. */
export interface SilentMember {
  readonly pod: Pod;
  /** The same as long as the member is silent. */
  readonly silence: string;
}

/** Report the Pod of an etcd member that responds to nothing as not ready, so that Services exclude it. */
export interface ExcludeEtcdMember {
  readonly kind: 'excludeEtcdMember';
  readonly silent: SilentMember;
}

/** Expand the PVCs of an etcd, then delete its StatefulSet without the Pods to change the PVC template. */
export interface GrowEtcdStorage {
  readonly kind: 'growEtcdStorage';
  readonly statefulSet: StatefulSet;
  /** The desired StatefulSet. */
  readonly wanted: DesiredObject;
}

/** Deletions before the StatefulSet is created with other storage. */
export interface Replacement {
  /** The desired StatefulSet. */
  readonly wanted: DesiredObject;
  /** Objects to delete now; empty while earlier deletions are in progress. */
  readonly remove: readonly KubernetesObject[];
  /** PVC deletions that another controller blocks. */
  readonly blockedChanges: readonly BlockedChange[];
}

/** Delete etcd storage that was never written to. */
export interface ReplaceEtcdStorage {
  readonly kind: 'replaceEtcdStorage';
  readonly replacement: Replacement;
}

/**
 * Create the estimator credentials in member clusters, and revoke those that are no longer needed. Runs in the
 * background.
 */
export interface SyncMembers {
  readonly kind: 'syncMembers';
  readonly owner: InstanceOwner;
  readonly wanted: readonly DesiredMember[];
  /** Secrets of member clusters that no longer need an estimator. */
  readonly leaving: readonly KubernetesObject[];
}

/** Writes that install and change a control plane. */
export type Action =
  | Apply
  | Remove
  | AdoptObject
  | CreateNamespace
  | CopyPullSecret
  | CopyKubeconfig
  | CopyEtcdSecret
  | IssueCertificates
  | RotationAction
  | RecordEtcd
  | RecordReadySpec
  | RecordFailedChange
  | CreateUpgradeBackup
  | AnnotateClaim
  | AbandonEtcd
  | RestartEtcdMember
  | ChangeEtcdMembers
  | RecoverEtcd
  | MaintainEtcd
  | ExcludeEtcdMember
  | GrowEtcdStorage
  | ReplaceEtcdStorage
  | SyncMembers
  | WriteStatus;

/** Any write that a reconcile makes. */
export type AnyAction = Action | KarmadaAction | BackupAction;

export type ActionOf<K extends AnyAction['kind']> = Extract<AnyAction, { readonly kind: K }>;

/** Filters actions by kind; keeps their order. */
export function ofKind<K extends Action['kind']>(
  actions: readonly Action[],
  kind: K,
): readonly ActionOf<K>[] {
  return actions.filter((action): action is ActionOf<K> => action.kind === kind);
}

/** Returns the cached object that an action writes to; undefined if there is none yet, or if the executor decides per object. */
export function subjectOf(action: AnyAction): KubernetesObject | undefined {
  // A deletion does not stop at an object whose repair is paused.
  if (action.kind === 'deleteObject') return undefined;
  if ('cached' in action) return action.cached;
  if ('statefulSet' in action) return action.statefulSet;
  if ('object' in action) return action.object;
  if (action.kind === 'recordEtcd' || action.kind === 'recordRotation') return action.backup;
  return 'stamp' in action ? action.stamp.claim : undefined;
}
