/** The table of components, and the order in which an instance comes up. A pure table. */
import type { DefaultedSpec } from '../api/defaults.ts';
import type { Component, Step } from './component.ts';
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

/** All components there are, in upgrade order: what others depend on comes first. */
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

/** Components that an instance with this spec has, in the same order. */
export function installedComponents(spec: DefaultedSpec): readonly Component[] {
  return COMPONENTS.filter((component) => component.settings(spec) !== undefined);
}

/**
 * Order in which what runs already is changed: a stage begins when all before it are done, so that no client is ever
 * newer than the server it talks to, and CRDs are never newer than the API server nor older than those who need them.
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
 * What each step waits for at install. etcd and the API server start together, since the API server
 * waits for etcd by itself. Everything else starts when the API server is ready; RBAC is there before
 * the pods that need it, CRDs are Established before the controllers that look for them,
 * karmada-aggregated-apiserver serves clusters before those start that watch clusters, and a server
 * serves before anything is routed to it. Who may ask for health is told as soon as the API server
 * listens, since it is not ready for the kubelet before.
 *
 * karmada-metrics-adapter has no need of CRDs; it waits for them so that karmada-aggregated-apiserver,
 * which others wait for, starts while nothing else does (docs/adr/0010-order-of-an-install.md).
 */
export const EDGES: Readonly<Record<Step, readonly Step[]>> = {
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
