/** Condition types: one for each component, and one for a remote host cluster. */
import type { ComponentName } from '../../components/component.ts';

/** Whether the operator can use a remote host cluster. */
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
