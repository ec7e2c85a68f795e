/** Types of the settings that several components have in common: parts of the types that are generated from the CRD. */
import type { KarmadaWebhook, PodSettings } from './karmada.generated.ts';

export type {
  Addon,
  KarmadaSchedulerEstimator,
  PodDisruptionBudgetConfig,
} from './karmada.generated.ts';

export type StringMap = Readonly<Record<string, string>>;

export type IntOrString = number | string;

export type FeatureGates = Readonly<Record<string, boolean>>;

/** Settings that every component has. */
export type CommonSettings = Omit<KarmadaWebhook, 'extraArgs'>;

/** Fields of a Pod, and of its main container. */
export type PodFields = Omit<PodSettings, 'components'>;
