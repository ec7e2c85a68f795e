/** kube-controller-manager: Kubernetes controllers that a control plane without nodes needs. */
import type { Component } from '../component.ts';

/**
 * Controllers that run if the user sets none: those of the upstream Go operator plus `tokencleaner`,
 * which deletes expired bootstrap tokens.
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
  // Short, because it serves no clients. After the lease expires, another replica becomes leader.
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
    // Kubernetes feature gates only: this binary does not know the Karmada gates of `spec.featureGates`.
    return { extraArgs, featureGates };
  },
  runsAsRoot: () => false,
};
