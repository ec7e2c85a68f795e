/** karmada-metrics-adapter: serves metrics of member clusters. It has no `--feature-gates` flag. */
import { ifEnabled } from '../../api/addon.ts';
import type { Component } from '../component.ts';

export const karmadaMetricsAdapter: Component = {
  name: 'karmada-metrics-adapter',
  terminationGracePeriodSeconds: 75,
  readiness: {
    kind: 'Deployment',
    probe: { scheme: 'HTTPS', port: 8443, path: '/readyz' },
    apiServices: [
      'v1beta1.metrics.k8s.io',
      'v1beta1.custom.metrics.k8s.io',
      'v1beta2.custom.metrics.k8s.io',
    ],
  },
  settings: (spec) => ifEnabled(spec.components.karmadaMetricsAdapter),
  values: () => ({}),
  userFields: ({ spec }) => ({
    extraArgs: ifEnabled(spec.components.karmadaMetricsAdapter)?.extraArgs,
  }),
  runsAsRoot: () => false,
};
