/**
 * Types of the stored custom resource `karmadas.operator.karmada.io/v1alpha1`. All fields are optional, because a user
 * may omit them; rendering uses `DefaultedSpec` in `defaults.ts`. Values of Kubernetes types are raw JSON, not
 * instances of the client classes.
 */
import type {
  V1Container,
  V1EmptyDirVolumeSource,
  V1HostPathVolumeSource,
  V1PersistentVolumeClaimSpec,
  V1Volume,
  V1VolumeMount,
} from '@kubernetes/client-node';

import type { ObjectMeta } from '../kubernetes/object.ts';
import type { CrdTarball } from './crd-tarball.ts';
import type { EtcdClusterStatus } from './etcd-cluster-status.ts';
import type { EtcdSettings } from './etcd-settings.ts';
import type {
  Addon,
  CommonSettings,
  FeatureGates,
  KarmadaSchedulerEstimator,
  PodFields,
  StringMap,
  UpgradePolicy,
  WithExtraArgs,
  WithFeatureGates,
} from './settings.ts';
import type { MemberClustersStatus } from './member-clusters-status.ts';
import type { Phase } from './phase.ts';
import type { UpgradeStatus, Versions } from './upgrade-status.ts';

export type { Phase } from './phase.ts';
export type { UpgradeStatus, Versions } from './upgrade-status.ts';

export const GROUP = 'operator.karmada.io';
export const API_VERSION = `${GROUP}/v1alpha1`;
export const KIND = 'Karmada';
export const PLURAL = 'karmadas';

/** Field manager of the objects that the operator applies. */
export const FIELD_MANAGER = 'karmada-operator';
/** Field manager of the defaults that the operator stores in a Karmada. */
export const DEFAULTS_FIELD_MANAGER = 'karmada-operator-defaults';
export const FINALIZER = 'operator.karmada.io/finalizer';
/** Annotation for a permanently lost host cluster; the value is the UID of what is abandoned, see `isAbandoned`. */
export const ABANDON_HOST_ANNOTATION = 'operator.karmada.io/abandon-host';
/** Annotation that confirms a deletion with joined member clusters; the value is the UID of the Karmada. */
export const CONFIRM_DELETION_ANNOTATION = 'operator.karmada.io/confirm-deletion';
/** Label on a Karmada: any value except `false` keeps all objects in the host cluster on deletion. */
export const DISABLE_CASCADING_DELETION_LABEL = 'operator.karmada.io/disable-cascading-deletion';

export interface Karmada {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: typeof KIND;
  readonly metadata: ObjectMeta;
  readonly spec?: KarmadaSpec;
  readonly status?: KarmadaStatus;
}

export interface KarmadaSpec {
  /** Release of all Karmada components and of the CRDs, such as `v1.17.1`. */
  readonly version?: string;
  readonly hostCluster?: HostCluster;
  readonly privateRegistry?: { readonly registry?: string };
  readonly imagePullSecrets?: readonly { readonly name: string }[];
  readonly components?: Components;
  readonly podSettings?: readonly PodSettings[];
  readonly featureGates?: FeatureGates;
  readonly crdTarball?: CrdTarball;
  readonly customCertificate?: CustomCertificate;
  readonly monitoring?: Monitoring;
  readonly upgrade?: UpgradePolicy;
  readonly suspend?: boolean;
  /** `Delete` if it is not set. */
  readonly deletionPolicy?: DeletionPolicy;
}

/** `ConfirmMembers`: the deletion waits for a confirmation while member clusters are joined. */
type DeletionPolicy = 'Delete' | 'ConfirmMembers';

/** Reference to a Secret; each field defines the meaning of an unset `namespace`. */
export interface SecretReference {
  readonly name?: string;
  readonly namespace?: string;
}

export interface HostCluster {
  readonly apiEndpoint?: string;
  /** Secret with credentials of a remote host cluster; absent or without a name: the management cluster. */
  readonly secretRef?: SecretReference;
  readonly networking?: { readonly dnsDomain?: string };
}

interface CustomCertificate {
  /** Secret in the host cluster with keys `tls.crt` and `tls.key` of a CA. */
  readonly apiServerCACert?: SecretReference;
  readonly leafCertValidityDays?: number;
}

interface Monitoring {
  /** Whether the operator issues a client certificate that may read the metrics of the components. */
  readonly clientCertificate?: boolean;
}

export interface KarmadaAPIServer extends CommonSettings, WithExtraArgs, WithFeatureGates {
  readonly serviceSubnet?: string;
  readonly serviceType?: ServiceType;
  readonly loadBalancerClass?: string;
  readonly ipFamilyPolicy?: 'SingleStack' | 'PreferDualStack' | 'RequireDualStack';
  /** External address of the API server as `host` or `host:port`; the port defaults to 443, for a load balancer to 5443. */
  readonly externalEndpoint?: string;
  readonly serviceAnnotations?: StringMap;
  readonly extraVolumes?: readonly V1Volume[];
  readonly extraVolumeMounts?: readonly V1VolumeMount[];
  readonly certSANs?: readonly string[];
  readonly sidecarContainers?: readonly V1Container[];
}

type ServiceType = 'ClusterIP' | 'NodePort' | 'LoadBalancer';

interface KarmadaAggregatedAPIServer extends CommonSettings, WithExtraArgs, WithFeatureGates {
  readonly certSANs?: readonly string[];
}

interface WithControllers {
  /** Values for `--controllers`; `*` enables all controllers that are on by default, `-name` disables one. */
  readonly controllers?: readonly string[];
}

interface KubeControllerManager
  extends CommonSettings, WithExtraArgs, WithFeatureGates, WithControllers {}
interface KarmadaControllerManager
  extends CommonSettings, WithExtraArgs, WithFeatureGates, WithControllers {}
interface KarmadaScheduler extends CommonSettings, WithExtraArgs, WithFeatureGates {}
interface KarmadaWebhook extends CommonSettings, WithExtraArgs {}

export interface Etcd {
  readonly local?: LocalEtcd;
  readonly external?: ExternalEtcd;
}

export interface LocalEtcd extends CommonSettings, EtcdSettings {
  readonly volumeData?: VolumeData;
  /** Named as in a StatefulSet, but implemented by the operator; defaults to Retain. */
  readonly persistentVolumeClaimRetentionPolicy?: {
    readonly whenDeleted?: 'Retain' | 'Delete';
    readonly whenScaled?: 'Retain' | 'Delete';
  };
  /** Time that a member must be down before it is replaced, as a Go duration; defaults to 10m. */
  readonly replacementGracePeriod?: string;
  readonly serverCertSANs?: readonly string[];
  readonly peerCertSANs?: readonly string[];
}

/** Storage of an etcd member. `volumeClaim` takes precedence over other volume types (as in the Go operator). */
export interface VolumeData {
  readonly volumeClaim?: VolumeClaimTemplate;
  readonly hostPath?: V1HostPathVolumeSource;
  readonly emptyDir?: V1EmptyDirVolumeSource;
}

interface VolumeClaimTemplate {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly labels?: StringMap;
    readonly annotations?: StringMap;
    readonly finalizers?: readonly string[];
  };
  readonly spec: V1PersistentVolumeClaimSpec;
}

export interface ExternalEtcd {
  readonly endpoints: readonly string[];
  /** Secret with keys `ca.crt`, `tls.crt`, `tls.key`; the namespace defaults to that of the Karmada. */
  readonly secretRef: SecretReference;
}

export interface Components {
  readonly etcd?: Etcd;
  readonly karmadaAPIServer?: KarmadaAPIServer;
  readonly karmadaAggregatedAPIServer?: KarmadaAggregatedAPIServer;
  readonly kubeControllerManager?: KubeControllerManager;
  readonly karmadaControllerManager?: KarmadaControllerManager;
  readonly karmadaScheduler?: KarmadaScheduler;
  readonly karmadaWebhook?: KarmadaWebhook;
  readonly karmadaDescheduler?: Addon;
  readonly karmadaSearch?: Addon;
  readonly karmadaMetricsAdapter?: Addon;
  readonly karmadaSchedulerEstimator?: KarmadaSchedulerEstimator;
}

/** Entry of `spec.podSettings`. */
export interface PodSettings extends PodFields {
  /** Absent: all components. */
  readonly components?: readonly (keyof Components)[];
}

export type ComponentKey = Exclude<keyof Components, 'etcd'>;

export interface KarmadaStatus {
  readonly observedGeneration?: number;
  /** Hash of the last spec (without `suspend`) that was observed to run completely. */
  readonly appliedSpecHash?: string;
  readonly phase?: Phase;
  /** Secret with the admin kubeconfig. */
  readonly secretRef?: SecretReference;
  /** Fields of the Go operator, read from the running servers; same values as in `versions`. */
  readonly karmadaVersion?: string;
  readonly kubernetesVersion?: string;
  readonly versions?: Versions;
  readonly apiServerService?: { readonly name: string };
  /** UID of the kube-system Namespace of a remote host cluster; not set for the management cluster. */
  readonly hostUID?: string;
  /** `namespace/name` of the Secret with the host cluster credentials. */
  readonly hostSecret?: string;
  /** `spec.hostCluster.apiEndpoint` with which the operator reached the host cluster; without one, the server of the Secret. */
  readonly hostEndpoint?: string;
  /** Ready components of those that the spec enables, such as `8/8`. Estimators do not count. */
  readonly componentsReady?: string;
  /** Ready and desired etcd members, such as `3/3`, or `external`. */
  readonly etcd?: string;
  /** UID of the Namespace kube-system in an external etcd. */
  readonly etcdDataUID?: string;
  /** Members of a local etcd. */
  readonly etcdCluster?: EtcdClusterStatus;
  /** Earliest expiry of the certificates of the control plane (RFC 3339). */
  readonly certificateExpiry?: string;
  /** Member clusters that have joined, as last observed. */
  readonly memberClusters?: MemberClustersStatus;
  readonly upgrade?: UpgradeStatus;
  /** Time of the last progress (RFC 3339), accurate to 30 s. Absent while the control plane is ready. */
  readonly lastProgressTime?: string;
  readonly conditions?: readonly Condition[];
}

/** Versions without image suffixes, such as `v1.17.1`, `v1.35.4`, `3.6.6`. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}
