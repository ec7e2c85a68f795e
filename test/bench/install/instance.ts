import { API_VERSION, KIND, type Components, type HostCluster } from '../../../src/api/karmada.ts';
import { instanceName, WORKLOAD_SUFFIX } from '../../../src/api/naming.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import {
  etcdTags,
  karmadaReleases,
  kubernetesReleases,
} from '../../../tools/embedded-cluster/releases.ts';

/** A measured Karmada object. */
export interface Instance {
  readonly namespace: string;
  readonly name: string;
  readonly components: Components;
  /** Remote host cluster; undefined for the management cluster. */
  readonly hostCluster?: HostCluster;
}

/** Control planes to install: one core, one with all add-ons that both operators have, five core at the same time. */
export const kinds = ['core', 'addons', 'five'] as const;

const image = (imageRepository: string, imageTag: string): object => ({
  imageRepository,
  imageTag,
  replicas: 1,
});
const kubernetes = (name: string): object =>
  image(`registry.k8s.io/${name}`, kubernetesReleases.current);
const karmada = (name: string): object =>
  image(`docker.io/karmada/${name}`, karmadaReleases.current);

/** The eight components of a core control plane, one replica each. All images are set, so defaults have no effect. */
export const core: Components = {
  etcd: {
    local: { ...image('registry.k8s.io/etcd', etcdTags.current), volumeData: { emptyDir: {} } },
  },
  karmadaAPIServer: { ...kubernetes('kube-apiserver'), serviceType: 'ClusterIP' },
  karmadaAggregatedAPIServer: karmada('karmada-aggregated-apiserver'),
  kubeControllerManager: kubernetes('kube-controller-manager'),
  karmadaControllerManager: karmada('karmada-controller-manager'),
  karmadaScheduler: karmada('karmada-scheduler'),
  karmadaWebhook: karmada('karmada-webhook'),
  karmadaMetricsAdapter: karmada('karmada-metrics-adapter'),
};

const addons: Components = {
  ...core,
  karmadaDescheduler: karmada('karmada-descheduler'),
  karmadaSearch: karmada('karmada-search'),
};

/** Returns the control planes of one measurement, each in a separate namespace, as the Go operator requires. */
export function instancesOf(kind: (typeof kinds)[number]): readonly Instance[] {
  const components = kind === 'addons' ? addons : core;
  return Array.from({ length: kind === 'five' ? 5 : 1 }, (_, index) => ({
    namespace: `bench-${String(index + 1)}`,
    name: 'demo',
    components,
  }));
}

/** Returns the Karmada object for both operators. */
export function karmadaOf({
  namespace,
  name,
  components,
  hostCluster,
}: Instance): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: { namespace, name },
    spec: { components, ...(hostCluster && { hostCluster }) },
  };
}

/** Returns the APIServices of the Karmada servers. */
export function apiServicesOf({ components }: Instance): readonly string[] {
  return [
    'v1alpha1.cluster.karmada.io',
    'v1beta1.metrics.k8s.io',
    'v1beta1.custom.metrics.k8s.io',
    'v1beta2.custom.metrics.k8s.io',
    ...(components.karmadaSearch ? ['v1alpha1.search.karmada.io'] : []),
  ];
}

/** Returns the names of the Deployments and the StatefulSet of a control plane. */
export function workloadNames({ name, components }: Instance): string[] {
  return Object.keys(components).map((component) =>
    instanceName(name, WORKLOAD_SUFFIX[component as keyof typeof core]),
  );
}
