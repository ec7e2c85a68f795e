/** Renders the Services and APIServices that register aggregated API servers in the Karmada API. */
import { ifEnabled } from '../api/addon.ts';
import { instanceName } from '../api/naming.ts';
import type { StringMap } from '../api/settings.ts';
import type { ComponentName, ControlPlaneStep } from '../components/component.ts';
import { serviceHost } from '../components/values.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { caBundleField, ownLabels, SYSTEM_NAMESPACE, type ControlPlaneInput } from './input.ts';

interface AggregatedServer {
  readonly step: ControlPlaneStep;
  readonly component: ComponentName;
  /** `N(suffix)` is the name of the Service in the host cluster and in the control plane. */
  readonly suffix: string;
  readonly apis: readonly { readonly version: string; readonly group: string }[];
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
  readonly labels?: StringMap;
  /** Returns the desired number of Pods. With 0 Pods the APIService is not rendered. */
  replicas(input: ControlPlaneInput): number;
}

const SERVERS: readonly AggregatedServer[] = [
  {
    step: 'cluster-api-service',
    component: 'karmada-aggregated-apiserver',
    suffix: 'aggregated-apiserver',
    apis: [{ version: 'v1alpha1', group: 'cluster.karmada.io' }],
    groupPriorityMinimum: 2000,
    versionPriority: 10,
    labels: { app: 'karmada-aggregated-apiserver', apiserver: 'true' },
    // Karmada needs this server, so its APIService remains and reports unavailability at 0 replicas.
    replicas: () => 1,
  },
  {
    step: 'metrics-api-services',
    component: 'karmada-metrics-adapter',
    suffix: 'metrics-adapter',
    apis: [
      { version: 'v1beta1', group: 'metrics.k8s.io' },
      { version: 'v1beta1', group: 'custom.metrics.k8s.io' },
      { version: 'v1beta2', group: 'custom.metrics.k8s.io' },
    ],
    groupPriorityMinimum: 100,
    versionPriority: 200,
    replicas: ({ spec }) => ifEnabled(spec.components.karmadaMetricsAdapter)?.replicas ?? 0,
  },
  {
    step: 'search-api-service',
    component: 'karmada-search',
    suffix: 'search',
    apis: [{ version: 'v1alpha1', group: 'search.karmada.io' }],
    groupPriorityMinimum: 2000,
    versionPriority: 10,
    labels: { app: 'karmada-search', apiserver: 'true' },
    replicas: ({ spec }) => ifEnabled(spec.components.karmadaSearch)?.replicas ?? 0,
  },
];

/**
 * Renders the Service and the APIServices of one step, or nothing if the component has no Pods. Why: an
 * unavailable APIService blocks garbage collection and Namespace deletion in the API server.
 */
export function apiServices(
  input: ControlPlaneInput,
  step: ControlPlaneStep,
): readonly KubernetesObject[] {
  return SERVERS.filter((server) => server.step === step && server.replicas(input) > 0).flatMap(
    (server) => [
      externalService(server, input),
      ...server.apis.map(({ version, group }) => apiService(server, version, group, input)),
    ],
  );
}

/** Renders an ExternalName Service. The API server Pod resolves that name with the DNS of the host cluster. */
function externalService(server: AggregatedServer, input: ControlPlaneInput): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: instanceName(input.name, server.suffix),
      namespace: SYSTEM_NAMESPACE,
      labels: ownLabels(input, server.component),
    },
    spec: { type: 'ExternalName', externalName: serviceHost(input, server.suffix) },
  };
}

function apiService(
  server: AggregatedServer,
  version: string,
  group: string,
  input: ControlPlaneInput,
): KubernetesObject {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: {
      name: `${version}.${group}`,
      labels: { ...server.labels, ...ownLabels(input, server.component) },
    },
    spec: {
      group,
      version,
      // The API server expects the SAN <service>.karmada-system.svc in the server certificate.
      service: {
        name: instanceName(input.name, server.suffix),
        namespace: SYSTEM_NAMESPACE,
        port: 443,
      },
      caBundle: caBundleField(input),
      groupPriorityMinimum: server.groupPriorityMinimum,
      versionPriority: server.versionPriority,
    },
  };
}
