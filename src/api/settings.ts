/** Settings that several components have, as a Karmada stores them. */
import type { V1Affinity, V1ResourceRequirements, V1Toleration } from '@kubernetes/client-node';

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
  /** Flag name without leading dashes to value. */
  readonly extraArgs?: StringMap;
}

export interface WithFeatureGates {
  readonly featureGates?: FeatureGates;
}

/** Settings of a component that can be switched off. */
export interface Addon extends CommonSettings, WithExtraArgs {
  /** Unset counts as true. */
  readonly enabled?: boolean;
}

/** One estimator for each member cluster in push mode, or for those that are named. */
export interface KarmadaSchedulerEstimator extends Addon, WithFeatureGates {
  /** Names of members; absent or empty: all in push mode. */
  readonly clusters?: readonly string[];
}
