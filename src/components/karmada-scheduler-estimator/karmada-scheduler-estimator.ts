/**
 * Tells the scheduler how many more replicas fit into one member cluster, and the descheduler how many
 * of those there do not run. One for each member, called by the name that both put together.
 */
import { whenOn } from '../../api/addon.ts';
import { estimatorName } from '../../api/naming.ts';
import type { Component } from '../component.ts';

/** Label on what belongs to one member cluster. */
export const CLUSTER_LABEL = 'operator.karmada.io/cluster';
/** Annotation of pod templates: see `EstimatorTarget`. */
export const ACCESS_HASH = 'operator.karmada.io/access-hash';

/** Name of the Secret with the way into a member, of which no other name in the namespace ends so. */
export function accessSecretName(karmadaName: string, cluster: string): string {
  return `${estimatorName(karmadaName, cluster)}-kubeconfig`;
}

export const karmadaSchedulerEstimator: Component = {
  name: 'karmada-scheduler-estimator',
  suffix: 'scheduler-estimator',
  terminationGracePeriodSeconds: 30,
  // It listens when it has read the member; until then its health is all there is to ask.
  readiness: { kind: 'Deployment', probe: { scheme: 'TCP', port: 10352 }, apiServices: [] },
  settings: (spec) => whenOn(spec.components.karmadaSchedulerEstimator),
  copies: ({ name, estimators = [] }) =>
    estimators.map(({ cluster, accessHash }) => ({
      name: estimatorName(name, cluster),
      cluster,
      accessHash,
      accessSecret: accessSecretName(name, cluster),
    })),
  values: () => ({}),
  userFields: ({ spec }) => {
    const { extraArgs, featureGates } = whenOn(spec.components.karmadaSchedulerEstimator) ?? {};
    return { extraArgs, featureGates: { ...spec.featureGates, ...featureGates } };
  },
  runsAsRoot: () => false,
};
