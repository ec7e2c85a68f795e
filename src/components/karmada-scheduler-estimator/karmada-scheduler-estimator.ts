/**
 * karmada-scheduler-estimator: reports to the scheduler how many more replicas fit into one member
 * cluster, and to the descheduler how many replicas there cannot be scheduled. Each member cluster has
 * one estimator. Scheduler and descheduler derive the Service name from prefix and cluster name.
 */
import { ifEnabled } from '../../api/addon.ts';
import { estimatorName } from '../../api/naming.ts';
import type { Component } from '../component.ts';

/** Label on objects of one member cluster: its name. */
export const CLUSTER_LABEL = 'operator.karmada.io/cluster';
/** Annotation of Pod templates: `accessHash` of `EstimatorTarget`. */
export const ACCESS_HASH = 'operator.karmada.io/access-hash';

/** Returns the name of the Secret with the kubeconfig of a member cluster. Its suffix is unique in the namespace. */
export function accessSecretName(karmadaName: string, cluster: string): string {
  return `${estimatorName(karmadaName, cluster)}-kubeconfig`;
}

export const karmadaSchedulerEstimator: Component = {
  name: 'karmada-scheduler-estimator',
  terminationGracePeriodSeconds: 30,
  // The estimator opens its gRPC port only after it has synced with the member cluster.
  readiness: { kind: 'Deployment', probe: { scheme: 'TCP', port: 10352 }, apiServices: [] },
  settings: (spec) => ifEnabled(spec.components.karmadaSchedulerEstimator),
  perCluster: ({ name, estimators = [] }) =>
    estimators.map(({ cluster, accessHash }) => ({
      name: estimatorName(name, cluster),
      cluster,
      accessHash,
      accessSecret: accessSecretName(name, cluster),
    })),
  values: () => ({}),
  userFields: ({ spec }) => {
    const { extraArgs, featureGates } = ifEnabled(spec.components.karmadaSchedulerEstimator) ?? {};
    return { extraArgs, featureGates: { ...spec.featureGates, ...featureGates } };
  },
  runsAsRoot: () => false,
};
