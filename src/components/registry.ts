/** Lists all components, their install dependencies and their upgrade stages. Data only, no logic. */
import type { DefaultedSpec } from '../api/defaults/defaults.ts';
import type { Component, ComponentName, Step } from './component.ts';
import { etcd } from './etcd/etcd.ts';
import { karmadaAggregatedAPIServer } from './karmada-aggregated-apiserver/karmada-aggregated-apiserver.ts';
import { karmadaAPIServer } from './karmada-apiserver/karmada-apiserver.ts';
import { karmadaControllerManager } from './karmada-controller-manager/karmada-controller-manager.ts';
import { karmadaDescheduler } from './karmada-descheduler/karmada-descheduler.ts';
import { karmadaMetricsAdapter } from './karmada-metrics-adapter/karmada-metrics-adapter.ts';
import { karmadaSchedulerEstimator } from './karmada-scheduler-estimator/karmada-scheduler-estimator.ts';
import { karmadaScheduler } from './karmada-scheduler/karmada-scheduler.ts';
import { karmadaSearch } from './karmada-search/karmada-search.ts';
import { karmadaWebhook } from './karmada-webhook/karmada-webhook.ts';
import { kubeControllerManager } from './kube-controller-manager/kube-controller-manager.ts';

/** All components in upgrade order: a component comes after its dependencies. */
export const COMPONENTS: readonly Component[] = [
  etcd,
  karmadaAPIServer,
  karmadaAggregatedAPIServer,
  karmadaSearch,
  karmadaMetricsAdapter,
  karmadaWebhook,
  kubeControllerManager,
  karmadaControllerManager,
  karmadaScheduler,
  karmadaDescheduler,
  karmadaSchedulerEstimator,
];

const COMPONENT_NAMES: ReadonlySet<string> = new Set(COMPONENTS.map(({ name }) => name));

/** Whether a step is a component, and not a group of objects in the Karmada API. */
export function isComponent(step: string): step is ComponentName {
  return COMPONENT_NAMES.has(step);
}

/** Whether a step runs once for each member cluster. Its estimators do not count for the readiness of the control plane. */
export const isPerCluster = (step: string): boolean =>
  COMPONENTS.some(({ name, perCluster }) => name === step && perCluster !== undefined);

/** Returns the components that a spec enables, in upgrade order. */
export function installedComponents(spec: DefaultedSpec): readonly Component[] {
  return COMPONENTS.filter((component) => component.settings(spec) !== undefined);
}

/**
 * Order of changes to an installed control plane. A stage starts when all earlier stages are complete. Therefore no
 * client is newer than its server. CRDs are never newer than the API server, and never older than their controllers.
 */
export const UPGRADE_STAGES: readonly (readonly Step[])[] = [
  ['etcd'],
  ['karmada-apiserver'],
  ['crds'],
  ['karmada-aggregated-apiserver', 'karmada-search', 'karmada-metrics-adapter', 'karmada-webhook'],
  ['cluster-api-service', 'search-api-service', 'metrics-api-services', 'webhook-configurations'],
  ['kube-controller-manager'],
  ['karmada-controller-manager'],
  ['karmada-scheduler', 'karmada-descheduler', 'karmada-scheduler-estimator'],
];

/**
 * Install dependencies: each step waits for the listed steps. etcd and the API server start together,
 * because the API server itself waits for etcd. All other Pods start when the API server is ready:
 * - RBAC exists before the Pods that need it.
 * - CRDs are Established before the controllers that watch their resources.
 * - karmada-aggregated-apiserver serves Clusters before components that watch them start.
 * - A server is ready before an APIService or webhook configuration registers it.
 * The `health` step needs only a listening API server: the readiness probe fails without its RBAC rule.
 *
 * karmada-metrics-adapter does not need CRDs. It waits for them so that karmada-aggregated-apiserver,
 * a dependency of other steps, starts without competing Pods (docs/adr/0010-order-of-an-install.md).
 */
export const INSTALL_DEPENDENCIES: Readonly<Record<Step, readonly Step[]>> = {
  etcd: [],
  'karmada-apiserver': [],
  health: [],
  namespaces: ['karmada-apiserver'],
  rbac: ['karmada-apiserver'],
  bootstrap: ['rbac'],
  crds: ['karmada-apiserver'],
  'karmada-aggregated-apiserver': ['rbac'],
  'kube-controller-manager': ['rbac', 'crds'],
  'karmada-webhook': ['rbac', 'crds'],
  'karmada-controller-manager': ['rbac', 'crds', 'namespaces', 'karmada-aggregated-apiserver'],
  'karmada-scheduler': ['rbac', 'crds', 'namespaces', 'karmada-aggregated-apiserver'],
  'karmada-descheduler': ['rbac', 'crds', 'namespaces', 'karmada-aggregated-apiserver'],
  'karmada-scheduler-estimator': ['karmada-apiserver'],
  'karmada-metrics-adapter': ['rbac', 'crds'],
  'karmada-search': ['rbac'],
  'webhook-configurations': ['crds', 'karmada-webhook'],
  'cluster-api-service': ['namespaces', 'karmada-aggregated-apiserver'],
  'metrics-api-services': ['namespaces', 'karmada-metrics-adapter'],
  'search-api-service': ['namespaces', 'karmada-search'],
};
