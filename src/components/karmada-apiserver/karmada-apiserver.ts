/** The API server of the control plane: a kube-apiserver. */
import type { Component } from '../component.ts';
import { dnsDomain, etcdClientValues } from '../values.ts';

export const karmadaAPIServer: Component = {
  name: 'karmada-apiserver',
  suffix: 'apiserver',
  // 8 s until endpoints are gone, then up to 60 s for the requests under way.
  terminationGracePeriodSeconds: 75,
  readiness: {
    kind: 'Deployment',
    probe: {
      scheme: 'HTTPS',
      port: 5443,
      path: '/readyz?exclude=poststarthook/rbac/bootstrap-roles&exclude=poststarthook/scheduling/bootstrap-system-priority-classes',
    },
    apiServices: [],
  },
  settings: (spec) => spec.components.karmadaAPIServer,
  values: (input) => ({
    serviceType: input.spec.components.karmadaAPIServer.serviceType,
    serviceSubnet: input.spec.components.karmadaAPIServer.serviceSubnet,
    serviceAccountIssuer: `https://kubernetes.default.svc.${dnsDomain(input.spec)}`,
    ...etcdClientValues(input),
  }),
  userFields: ({ spec }) => {
    const settings = spec.components.karmadaAPIServer;
    return {
      extraArgs: settings.extraArgs,
      // Gates of Kubernetes; `spec.featureGates` are gates of Karmada, unknown to this binary.
      featureGates: settings.featureGates,
      sidecarContainers: settings.sidecarContainers,
      volumes: settings.extraVolumes,
      volumeMounts: settings.extraVolumeMounts,
    };
  },
  // Such as an audit log on the node: directories of the node belong to root.
  runsAsRoot: ({ spec }) =>
    (spec.components.karmadaAPIServer.extraVolumes ?? []).some((volume) => volume.hostPath),
  serviceFields: ({ spec }) => {
    const { serviceType, serviceAnnotations, loadBalancerClass } = spec.components.karmadaAPIServer;
    return {
      annotations: serviceAnnotations,
      ...(serviceType === 'LoadBalancer' && { loadBalancerClass }),
    };
  },
};
