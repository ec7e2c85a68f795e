/**
 * Types of the custom resource `karmadas.operator.karmada.io/v1alpha1` as it is stored: every field
 * is optional here, because a user may leave it out; `DefaultedSpec` in `defaults.ts` is the form
 * that rendering works with. Kubernetes types are raw JSON; only their shape is borrowed.
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
import type {
  Addon,
  CommonSettings,
  FeatureGates,
  KarmadaSchedulerEstimator,
  StringMap,
  WithExtraArgs,
  WithFeatureGates,
} from './settings.ts';
import type { Phase } from './phase.ts';

export type { Phase } from './phase.ts';

export const GROUP = 'operator.karmada.io';
export const API_VERSION = `${GROUP}/v1alpha1`;
export const KIND = 'Karmada';
export const PLURAL = 'karmadas';

/** Owner of what the operator applies. */
export const FIELD_MANAGER = 'karmada-operator';
/** Owner of the defaults the operator writes into a Karmada, apart from what a user wrote. */
export const DEFAULTS_FIELD_MANAGER = 'karmada-operator-defaults';
export const FINALIZER = 'operator.karmada.io/finalizer';
/** On a Karmada whose host is gone for good: the uid of what is given up there, see `isAbandoned`. */
export const ABANDON_HOST_ANNOTATION = 'operator.karmada.io/abandon-host';
/** Label on the Karmada: any value but `false` keeps all host objects when it is deleted. */
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
  readonly featureGates?: FeatureGates;
  readonly crdTarball?: CrdTarball;
  readonly customCertificate?: CustomCertificate;
  readonly suspend?: boolean;
}

/** A Secret by name; where `namespace` is not given, the field that uses it says what that means. */
export interface SecretReference {
  readonly name?: string;
  readonly namespace?: string;
}

export interface HostCluster {
  readonly apiEndpoint?: string;
  /** Secret with key `kubeconfig` for a remote host; absent or without a name: the local cluster. */
  readonly secretRef?: SecretReference;
  readonly networking?: { readonly dnsDomain?: string };
}

interface CustomCertificate {
  /** Secret in the host cluster with keys `tls.crt` and `tls.key` of a CA. */
  readonly apiServerCACert?: SecretReference;
  readonly leafCertValidityDays?: number;
}

export interface KarmadaAPIServer extends CommonSettings, WithExtraArgs, WithFeatureGates {
  readonly serviceSubnet?: string;
  readonly serviceType?: ServiceType;
  readonly loadBalancerClass?: string;
  /** `host` or `host:port` by which users reach it, through an ingress or under a name; port 443 when absent. */
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
  /** Names for `--controllers`; `*` for all that are on by default, `-name` to switch one off. */
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

export interface LocalEtcd extends CommonSettings {
  readonly volumeData?: VolumeData;
  /** In the terms of a StatefulSet, but done by the operator itself; absent: Retain. */
  readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted?: 'Retain' | 'Delete' };
  readonly serverCertSANs?: readonly string[];
  readonly peerCertSANs?: readonly string[];
}

/** Where a member keeps its data; with several kinds given the claim wins (as upstream does it). */
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
  /** Secret with keys `ca.crt`, `tls.crt`, `tls.key`; without a namespace it is beside the Karmada. */
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

export type ComponentKey = Exclude<keyof Components, 'etcd'>;

export interface KarmadaStatus {
  readonly observedGeneration?: number;
  /** Hash of the spec, without `suspend`, that the control plane was last seen to run. */
  readonly appliedSpecHash?: string;
  readonly phase?: Phase;
  /** Secret with the administrator's kubeconfig, in the namespace it names. */
  readonly secretRef?: SecretReference;
  /** Upstream's fields, read from the running servers: the same as in `versions`. */
  readonly karmadaVersion?: string;
  readonly kubernetesVersion?: string;
  readonly versions?: Versions;
  readonly apiServerService?: { readonly name: string };
  /** Uid of namespace kube-system of the host cluster, unless that is the operator's own. */
  readonly hostUID?: string;
  /** `namespace/name` of its Secret. */
  readonly hostSecret?: string;
  /** Members that serve of members wanted, such as `3/3`, or `external`. */
  readonly etcd?: string;
  /** When the first certificate of the instance runs out (RFC 3339). */
  readonly certificateExpiry?: string;
  readonly upgrade?: UpgradeStatus;
  readonly conditions?: readonly Condition[];
}

/** Without image suffixes, such as `v1.17.1`, `v1.35.4`, `3.6.6`. */
export interface Versions {
  readonly karmada?: string;
  readonly kubernetes?: string;
  readonly etcd?: string;
}

export interface UpgradeStatus {
  readonly from?: Versions;
  readonly to?: Versions;
  readonly step?: string;
}

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}
