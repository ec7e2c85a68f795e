/** Karmada's controllers. */
import type { Component } from '../component.ts';

export const karmadaControllerManager: Component = {
  name: 'karmada-controller-manager',
  suffix: 'controller-manager',
  // Nothing is lost with it: another leader takes over when the lease runs out.
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
