/** Takes replicas back from clusters that cannot run them. Its binary knows no feature gates. */
import { whenOn } from '../../api/addon.ts';
import type { Component } from '../component.ts';
import { estimatorValues } from '../values.ts';

export const karmadaDescheduler: Component = {
  name: 'karmada-descheduler',
  suffix: 'descheduler',
  // Nothing is lost with it: another leader takes over when the lease runs out.
  terminationGracePeriodSeconds: 10,
  readiness: {
    kind: 'Deployment',
    probe: { scheme: 'HTTP', port: 10358, path: '/healthz' },
    apiServices: [],
  },
  settings: (spec) => whenOn(spec.components.karmadaDescheduler),
  values: estimatorValues,
  userFields: ({ spec }) => ({ extraArgs: whenOn(spec.components.karmadaDescheduler)?.extraArgs }),
  runsAsRoot: () => false,
};
