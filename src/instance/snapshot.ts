/** Snapshot of one control plane: everything that a reconcile read, as plain values. Contains no secrets. */
import type { TenantPods } from '../components/pod-security.ts';
import type { Problem } from '../api/reasons/problem.ts';
import type { ArchiveSnapshot } from '../crd-archives/outcome.ts';
import type { DefaultedSpec, IPFamily } from '../api/defaults/defaults.ts';
import type { EtcdClientSecret } from '../api/external-etcd.ts';
import type { SecretRefusal } from '../api/secrets/secret-grant.ts';
import type { Karmada } from '../api/karmada.ts';
import type { ComponentName } from '../components/component.ts';
import type { EtcdView } from '../etcd/view.ts';
import type { EtcdCheck } from '../external-etcd/check.ts';
import type { PersistentVolumeClaim, StorageClass } from '../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { Pod } from '../kubernetes/objects/pod-kinds.ts';
import type { ClusterState } from '../member-clusters/cluster-state.ts';
import type { Expiry } from '../member-clusters/credential-reader.ts';
import type { MemberCluster } from '../member-clusters/member-cluster.ts';
import type { EventsRead } from '../causes/event-facts.ts';
import type { AuthorityInUse } from '../pki/expiry.ts';
import type { ClientComponent, IdentityKind } from '../pki/types.ts';
import type { EtcdBootstrap, EtcdData } from './etcd-bootstrap.ts';
import type { EtcdHealth } from './etcd-health.ts';
import type { VolumeFacts } from '../etcd-cluster/pods/defects.ts';
import type { MemberStep } from '../etcd-cluster/members/step.ts';
import type { UpkeepMemo } from './upkeep-memo.ts';
import type { BlockedChange } from './blocked-change.ts';
import type { IdentityReviews } from './identity-reviews.ts';
import type { ReadyRecord } from './ready-record.ts';
import type { Rollback } from './rollback-spec.ts';
import type { RotationSnapshot } from './rotation-snapshot.ts';
import type { UpgradeBackup } from './upgrade-backup.ts';

/** Objects of a control plane in the host cluster. */
export interface HostSnapshot {
  /** Workloads, Services, PodDisruptionBudgets, NetworkPolicies and Secrets (with hashed values) with the labels of the operator. */
  readonly objects: readonly KubernetesObject[];
  readonly pods: readonly Pod[];
  readonly claims: readonly PersistentVolumeClaim[];
  /** etcd PVCs that a recovery keeps. They are not in use. */
  readonly keptClaims?: readonly PersistentVolumeClaim[];
  /** IP family of the Pods; absent if unknown. */
  readonly ipFamily?: IPFamily;
  /** StorageClasses, reduced to `allowVolumeExpansion`. */
  readonly storageClasses?: readonly StorageClass[];
  /** Nodes of the Pods that do not report that they are ready; absent if the operator must not read Nodes. */
  readonly unreadyNodes?: readonly string[];
}

/** A remote host cluster. */
export interface RemoteSnapshot {
  /** URL of its API server. */
  readonly server: string;
  /** Unique id of the cluster, see `clusterUid`. */
  readonly uid?: string;
  /** `namespace/name` of the Secret with its credentials. */
  readonly secret: string;
  /** `spec.hostCluster.apiEndpoint`, or the server that the Secret names. */
  readonly endpoint: string;
  /** Whether the Namespace of the Karmada exists there. */
  readonly hasNamespace: boolean;
  /** Labels of this Namespace if the operator creates it. */
  readonly namespaceLabels: Readonly<Record<string, string>>;
  /** Why a new control plane could not use this Namespace. */
  readonly namespaceWarning?: Problem;
  /** Copy of the administrator kubeconfig in the namespace of the Karmada. */
  readonly kubeconfig?: KubernetesObject;
}

/** The Karmada API of the control plane. */
export interface ControlPlaneSnapshot {
  /** `waiting`: the API server is not ready; `syncing`: the initial reads are not complete. */
  readonly state: 'waiting' | 'syncing' | 'ready';
  /** Reason why it is not ready; empty if it is. */
  readonly message: string;
  /** Error that requires user action. */
  readonly problem?: Problem;
  /** Set if the API server responds and the cache of the operator is stale. */
  readonly unobserved?: Problem;
  /** It has Pods and is not ready. */
  readonly ask?: boolean;
  /** It responds, but reports that it is not ready. */
  readonly listens?: boolean;
  /** No call of the initial reads has failed so far. */
  readonly isReading?: boolean;
  /** It is ready, and its caches are not started yet. */
  readonly isAnswering?: boolean;
  /** Objects with the labels of the operator; CRDs without schemas. */
  readonly objects: readonly KubernetesObject[];
  /** gitVersion of the running kube-apiserver. */
  readonly kubernetesVersion?: string;
}

/** Public part of the certificates of a control plane. */
export interface CertificatesView {
  /** PEM bundle of trusted CAs, as in `ca.crt`. */
  readonly caBundle: string;
  /** External URL of the API server; absent while it is unknown. */
  readonly externalServer?: string;
  /** Whether the key of the pair `karmada` also signs ServiceAccount tokens, as in the Go operator. */
  readonly sharesKey?: true;
  /** Whether the address or node port of its Service is not allocated yet. */
  readonly addressAwaited: boolean;
  /** By component, hash of the certificates that it reads only at startup. */
  readonly restartHashes: Readonly<Partial<Record<ComponentName, string>>>;
  /** The same for Pods whose template is older than `ESTIMATOR_CLIENT_REVISION`. */
  readonly formerRestartHashes: CertificatesView['restartHashes'];
  /** By suffix of the component, the identity in its client certificate. */
  readonly identities: Readonly<Partial<Record<ClientComponent, IdentityKind>>>;
  /** Expiry of each CA and certificate, first to expire first. Wall clock in milliseconds. */
  readonly expiries: readonly { readonly name: string; readonly notAfter: number }[];
  readonly authorities: readonly AuthorityInUse[];
  /** SHA-256 of the CA that the Secret of the custom CA offers in place of the one in use. */
  readonly customOffer?: string;
  /** Earliest expiry of a certificate, wall clock in milliseconds. */
  readonly expiresAt: number;
  /** Time of the next check, wall clock in milliseconds. */
  readonly checkAt: number;
  /** SHA-256 of the etcd CA certificates; the signing CA comes first. Empty for an external etcd. */
  readonly etcdAuthorities: readonly string[];
  /** Names of all certificate Secrets. */
  readonly secretNames: readonly string[];
  /** Why clients reject certificates of the custom CA. */
  readonly authorityFault?: string;
  /** Parts of the spec that could not be applied, one message each. */
  readonly remarks: readonly string[];
}

export type CertificatesSnapshot =
  | { readonly state: 'valid'; readonly view: CertificatesView }
  /** A Secret is missing or changed: the operator must read all of them and issue what is missing. */
  | { readonly state: 'due'; readonly reason: string; readonly last?: CertificatesView };

/** An external etcd, which the operator does not manage. */
export interface ExternalEtcdSnapshot {
  readonly secret: EtcdClientSecret;
  /** Result of the last health check; absent before the first one. */
  readonly check: EtcdCheck | undefined;
  /** UID of the Namespace kube-system of the host cluster. */
  readonly hostUID?: string;
  /** `namespace/name` of a Karmada that was created earlier and uses the same key prefix. */
  readonly older?: string;
  /** Reason why the Secret could not be copied. */
  readonly copyProblem?: Problem;
}

/** Member clusters that need an estimator. */
export interface MembersSnapshot {
  /**
   * `off`: estimators are disabled; `reading`: the member clusters have not been read yet; `unknown`: they cannot be
   * read.
   */
  readonly state: 'off' | 'reading' | 'unknown' | 'known';
  /** Reason why they are unknown; empty otherwise. */
  readonly message: string;
  readonly members: readonly MemberCluster[];
  /** By member cluster, the version of its credentials in the Karmada API; empty if unknown. */
  readonly credentials: ReadonlyMap<string, string>;
  /** By member cluster, reason why its estimator has no credentials. */
  readonly problems: ReadonlyMap<string, Problem>;
  /** By member cluster, reason why its credentials have more than the least privilege. */
  readonly notes: ReadonlyMap<string, string>;
}

/** A member cluster that has joined the control plane, in any mode. */
export interface JoinedCluster extends ClusterState {
  /** Expiry of its credentials in the control plane; absent if there are none. */
  readonly expiry?: Expiry;
}

export interface Snapshot {
  readonly karmada: Karmada;
  /**
   * Spec with defaults. Blocked version changes are replaced by the running versions, and a later Karmada release by the
   * next one on the way.
   */
  readonly spec: DefaultedSpec;
  /** Version changes of the spec that are blocked. */
  readonly blockedVersions?: readonly BlockedChange[];
  /** Karmada releases to which the operator upgrades after that of `spec`. */
  readonly nextReleases?: readonly string[];
  /** Last spec that was Ready; absent if none is recorded. */
  readonly readyRecord?: ReadyRecord;
  /** Set if the spec of `karmada` failed, and `spec` is the last one that was Ready. */
  readonly rollback?: Rollback;
  /** Set if an upgrade is about to start and needs a decision about its backup. */
  readonly upgradeBackup?: UpgradeBackup;
  /** Secrets in use that a new Karmada could not use, besides that of an external etcd. */
  readonly secretWarnings?: readonly SecretRefusal[];
  /** Permissions that the operator lacks on the host cluster, such as `patch persistentvolumeclaims`. */
  readonly missingRights?: readonly string[];
  /** Wall clock, milliseconds. */
  readonly now: number;
  readonly host: HostSnapshot;
  /** Keys (`liveKey`) of objects that this process has seen as desired. If one is missing, it was deleted since. */
  readonly installed?: ReadonlySet<string>;
  /** Set if the host cluster is not the management cluster. */
  readonly remote?: RemoteSnapshot;
  readonly controlPlane: ControlPlaneSnapshot;
  readonly certificates: CertificatesSnapshot;
  /** Absent at rest, and before a reconcile has found out. */
  readonly rotation?: RotationSnapshot;
  readonly archive: ArchiveSnapshot;
  readonly members: MembersSnapshot;
  /** Member clusters that have joined; absent while they are not known. */
  readonly memberClusters?: readonly JoinedCluster[];
  /** Probe results of the local etcd members; absent for an external etcd. */
  readonly etcd?: EtcdView;
  /** Volumes of etcd members that are down; absent while all are ready. */
  readonly etcdVolumes?: VolumeFacts;
  /** Host name of the node of a single etcd member on a hostPath, for node selectors; absent if it is unknown. */
  readonly etcdHostName?: string;
  /** Next change of the local etcd members; absent until a decision or an assessment derives it. */
  readonly memberStep?: MemberStep;
  /** Health of the local etcd; absent until an assessment derives it. */
  readonly etcdHealth?: EtcdHealth;
  /** Maintenance of the local etcd; absent before the first one. */
  readonly etcdUpkeep?: UpkeepMemo & { readonly isRunning: boolean };
  /** Absent while unknown, and for an external etcd. */
  readonly etcdBootstrap?: EtcdBootstrap;
  /** Data of a local etcd without a StatefulSet, read live. */
  readonly etcdData?: EtcdData;
  /** Latest access reviews of components that leave the group `system:masters`. */
  readonly identityReviews?: IdentityReviews;
  /** What another client has taken from the roles of components, one text for each role; absent if nothing. */
  readonly lackedPermissions?: readonly string[];
  /** Recent Events of objects that are not ready; absent while all are. */
  readonly events?: EventsRead;
  /** Absent for a local etcd. */
  readonly externalEtcd?: ExternalEtcdSnapshot;
  /** Which Pods the operator creates. */
  readonly tenantPods?: TenantPods;
  /** Pod Security level that the namespace in the host cluster enforces by its label; absent without one, or if it is unknown. */
  readonly podSecurity?: string;
  /** Whether a Pod of the Go operator may still use the pair `karmada`. */
  readonly usesAdminPair?: true;
  /** See `RenderInput`. */
  readonly operatorNamespace?: string;
}
