/** Kubernetes' own controllers that a control plane without nodes needs. */
import type { Component } from '../component.ts';

/**
 * Controllers that run when the user names none: upstream's, and `tokencleaner`, which takes away
 * bootstrap tokens that have expired.
 */
const DEFAULT_CONTROLLERS = [
  'namespace',
  'garbagecollector',
  'serviceaccount-token',
  'ttl-after-finished',
  'bootstrapsigner',
  'tokencleaner',
  'csrcleaner',
  'csrsigning',
  'clusterrole-aggregation',
] as const;

export const kubeControllerManager: Component = {
  name: 'kube-controller-manager',
  suffix: 'kube-controller-manager',
  // Nothing is lost with it: another leader takes over when the lease runs out.
  terminationGracePeriodSeconds: 10,
  readiness: {
    kind: 'Deployment',
    probe: { scheme: 'HTTPS', port: 10257, path: '/healthz' },
    apiServices: [],
  },
  settings: (spec) => spec.components.kubeControllerManager,
  values: ({ spec }) => {
    const { controllers = [] } = spec.components.kubeControllerManager;
    return {
      controllers: (controllers.length > 0 ? controllers : DEFAULT_CONTROLLERS).join(','),
      serviceSubnet: spec.components.karmadaAPIServer.serviceSubnet,
    };
  },
  userFields: ({ spec }) => {
    const { extraArgs, featureGates } = spec.components.kubeControllerManager;
    // Gates of Kubernetes; `spec.featureGates` are gates of Karmada, unknown to this binary.
    return { extraArgs, featureGates };
  },
  runsAsRoot: () => false,
};
