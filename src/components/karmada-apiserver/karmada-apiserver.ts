/** karmada-apiserver: the kube-apiserver of the control plane. */
import { answersAnonymousProbes } from '../../api/flags/endpoint-flags.ts';
import type { Component } from '../component.ts';
import { dnsDomain, etcdClientValues } from '../values.ts';

export const karmadaAPIServer: Component = {
  name: 'karmada-apiserver',
  // 8 s until the Endpoints are removed, then up to 60 s for active requests.
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
    answersAnonymousProbes: answersAnonymousProbes(
      input.spec.components.karmadaAPIServer.extraArgs,
    ),
    ...etcdClientValues(input),
  }),
  userFields: ({ spec }) => {
    const settings = spec.components.karmadaAPIServer;
    return {
      extraArgs: settings.extraArgs,
      // Kubernetes feature gates only: this binary does not know the Karmada gates of `spec.featureGates`.
      featureGates: settings.featureGates,
      sidecarContainers: settings.sidecarContainers,
      volumes: settings.extraVolumes,
      volumeMounts: settings.extraVolumeMounts,
    };
  },
  // Only root can write to a hostPath directory of the node, for example for an audit log.
  runsAsRoot: ({ spec }) =>
    (spec.components.karmadaAPIServer.extraVolumes ?? []).some((volume) => volume.hostPath),
  serviceFields: ({ spec }) => {
    const { serviceType, serviceAnnotations, loadBalancerClass, ipFamilyPolicy } =
      spec.components.karmadaAPIServer;
    return {
      annotations: serviceAnnotations,
      ...(ipFamilyPolicy && { ipFamilyPolicy }),
      ...(serviceType === 'LoadBalancer' && { loadBalancerClass }),
    };
  },
};
