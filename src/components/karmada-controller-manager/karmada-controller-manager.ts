/** karmada-controller-manager: runs the Karmada controllers. */
import type { Component } from '../component.ts';

export const karmadaControllerManager: Component = {
  name: 'karmada-controller-manager',
  // Short, because it serves no clients. After the lease expires, another replica becomes leader.
  terminationGracePeriodSeconds: 10,
  readiness: {
    kind: 'Deployment',
    probe: { scheme: 'HTTP', port: 10357, path: '/healthz' },
    apiServices: [],
  },
  settings: (spec) => spec.components.karmadaControllerManager,
  values: () => ({}),
  userFields: ({ spec }) => {
    const { controllers = [], extraArgs, featureGates } = spec.components.karmadaControllerManager;
    return {
      extraArgs: {
        ...(controllers.length > 0 && { controllers: controllers.join(',') }),
        ...extraArgs,
      },
      featureGates: { ...spec.featureGates, ...featureGates },
    };
  },
  runsAsRoot: () => false,
};
