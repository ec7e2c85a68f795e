/** karmada-aggregated-apiserver: serves `cluster.karmada.io` and the proxy to member clusters. */
import type { Component } from '../component.ts';
import { etcdClientValues } from '../values.ts';

export const karmadaAggregatedAPIServer: Component = {
  name: 'karmada-aggregated-apiserver',
  terminationGracePeriodSeconds: 75,
  readiness: {
    kind: 'Deployment',
    probe: { scheme: 'HTTPS', port: 8443, path: '/readyz' },
    apiServices: ['v1alpha1.cluster.karmada.io'],
  },
  settings: (spec) => spec.components.karmadaAggregatedAPIServer,
  values: etcdClientValues,
  userFields: ({ spec }) => {
    const { extraArgs, featureGates } = spec.components.karmadaAggregatedAPIServer;
    return { extraArgs, featureGates: { ...spec.featureGates, ...featureGates } };
  },
  runsAsRoot: () => false,
};
