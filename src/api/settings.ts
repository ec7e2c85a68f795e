/** Types of the settings that several components have in common. */
import type {
  V1Affinity,
  V1EnvVar,
  V1HostAlias,
  V1PodDNSConfig,
  V1PodSecurityContext,
  V1ResourceRequirements,
  V1SecurityContext,
  V1Toleration,
  V1TopologySpreadConstraint,
} from '@kubernetes/client-node';

export type StringMap = Readonly<Record<string, string>>;

export type IntOrString = number | string;

export type FeatureGates = Readonly<Record<string, boolean>>;

type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

/** Settings that every component has. */
export interface CommonSettings {
  readonly imageRepository?: string;
  readonly imageTag?: string;
  readonly imagePullPolicy?: PullPolicy;
  readonly replicas?: number;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly resources?: V1ResourceRequirements;
  readonly priorityClassName?: string;
  readonly podDisruptionBudgetConfig?: PodDisruptionBudgetConfig;
  readonly tolerations?: readonly V1Toleration[];
  readonly affinity?: V1Affinity;
}

export interface PodDisruptionBudgetConfig {
  readonly minAvailable?: IntOrString;
  readonly maxUnavailable?: IntOrString;
}

export interface WithExtraArgs {
  /** Flag values by flag name without leading dashes. */
  readonly extraArgs?: StringMap;
}

export interface WithFeatureGates {
  readonly featureGates?: FeatureGates;
}

/** Settings of a component that can be disabled. */
export interface Addon extends CommonSettings, WithExtraArgs {
  /** Unset counts as true. */
  readonly enabled?: boolean;
}

/** Settings of the estimators: one per member cluster in push mode, or per cluster in `clusters`. */
export interface KarmadaSchedulerEstimator extends Addon, WithFeatureGates {
  /** Names of member clusters; absent or empty: all in push mode. */
  readonly clusters?: readonly string[];
}

/** Fields of a Pod, and of its main container. */
export interface PodFields {
  readonly nodeSelector?: StringMap;
  readonly topologySpreadConstraints?: readonly V1TopologySpreadConstraint[];
  readonly env?: readonly V1EnvVar[];
  readonly podSecurityContext?: V1PodSecurityContext;
  /** Of the main container. */
  readonly securityContext?: V1SecurityContext;
  readonly runtimeClassName?: string;
  readonly hostAliases?: readonly V1HostAlias[];
  readonly dnsConfig?: V1PodDNSConfig;
}

/** What the operator does before an upgrade, and when a step of a change is not complete in time. */
export interface UpgradePolicy {
  readonly backup?: 'Required' | 'IfConfigured' | 'Never';
  readonly onFailure?: 'Halt' | 'Rollback';
  /** Duration such as `10m`; see `stepDeadlineMs`. */
  readonly stepDeadline?: string;
}
