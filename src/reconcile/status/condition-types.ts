/** Type of each component's condition. A pure table. */
import type { ComponentName } from '../../components/component.ts';

/** Of a host other than the operator's own cluster. */
export const HOST_REACHABLE = 'HostReachable';

export const CONDITION_TYPE: Readonly<Record<ComponentName, string>> = {
  etcd: 'EtcdReady',
  'karmada-apiserver': 'APIServerReady',
  'karmada-aggregated-apiserver': 'AggregatedAPIServerReady',
  'kube-controller-manager': 'KubeControllerManagerReady',
  'karmada-controller-manager': 'ControllerManagerReady',
  'karmada-scheduler': 'SchedulerReady',
  'karmada-webhook': 'WebhookReady',
  'karmada-metrics-adapter': 'MetricsAdapterReady',
  'karmada-descheduler': 'DeschedulerReady',
  'karmada-search': 'SearchReady',
  'karmada-scheduler-estimator': 'SchedulerEstimatorReady',
};
