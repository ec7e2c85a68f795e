/** karmada-descheduler: evicts replicas that member clusters cannot run. It has no `--feature-gates` flag. */
import { ifEnabled } from '../../api/addon.ts';
import type { Component } from '../component.ts';
import { estimatorValues } from '../values.ts';

export const karmadaDescheduler: Component = {
  name: 'karmada-descheduler',
  // Short, because it serves no clients. After the lease expires, another replica becomes leader.
  terminationGracePeriodSeconds: 10,
  readiness: {
    kind: 'Deployment',
    probe: { scheme: 'HTTP', port: 10358, path: '/healthz' },
    apiServices: [],
  },
  settings: (spec) => ifEnabled(spec.components.karmadaDescheduler),
  values: estimatorValues,
  userFields: ({ spec }) => ({
    extraArgs: ifEnabled(spec.components.karmadaDescheduler)?.extraArgs,
  }),
  runsAsRoot: () => false,
};
