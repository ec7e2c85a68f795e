/** karmada-scheduler: selects member clusters for workloads. */
import type { Component } from '../component.ts';
import { estimatorValues } from '../values.ts';

export const karmadaScheduler: Component = {
  name: 'karmada-scheduler',
  // Short, because it serves no clients. After the lease expires, another replica becomes leader.
  terminationGracePeriodSeconds: 10,
  readiness: {
    kind: 'Deployment',
    probe: { scheme: 'HTTP', port: 10351, path: '/healthz' },
    apiServices: [],
  },
  settings: (spec) => spec.components.karmadaScheduler,
  values: estimatorValues,
  userFields: ({ spec }) => {
    const { extraArgs, featureGates } = spec.components.karmadaScheduler;
    return { extraArgs, featureGates: { ...spec.featureGates, ...featureGates } };
  },
  runsAsRoot: () => false,
};
