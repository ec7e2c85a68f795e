import { API_VERSION, KIND, type Components, type HostCluster } from '../../../src/api/karmada.ts';
import { instanceName, WORKLOAD_SUFFIX } from '../../../src/api/naming.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { etcdTags, karmadaReleases, kubernetesReleases } from '../../cluster/releases.ts';

/** A Karmada object that is measured. */
export interface Instance {
  readonly namespace: string;
  readonly name: string;
  readonly components: Components;
  /** Another cluster than the operator's to run in. */
  readonly hostCluster?: HostCluster;
}

/** What can be installed: one core instance, one with every add-on that both operators have, five core instances at once. */
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

/** The eight components of a core instance, one replica each, every image named: no operator's defaults decide. */
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

/** The instances of one measurement, each in a namespace of its own, as the Go operator needs it. */
export function instancesOf(kind: (typeof kinds)[number]): readonly Instance[] {
  const components = kind === 'addons' ? addons : core;
  return Array.from({ length: kind === 'five' ? 5 : 1 }, (_, index) => ({
    namespace: `bench-${String(index + 1)}`,
    name: 'demo',
    components,
  }));
}

/** The object that both operators are given. */
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

/** APIServices that lead to Karmada's own servers. */
export function apiServicesOf({ components }: Instance): readonly string[] {
  return [
    'v1alpha1.cluster.karmada.io',
    'v1beta1.metrics.k8s.io',
    'v1beta1.custom.metrics.k8s.io',
    'v1beta2.custom.metrics.k8s.io',
    ...(components.karmadaSearch ? ['v1alpha1.search.karmada.io'] : []),
  ];
}

/** Names of the instance's Deployments and of its StatefulSet. */
export function workloadNames({ name, components }: Instance): string[] {
  return Object.keys(components).map((component) =>
    instanceName(name, WORKLOAD_SUFFIX[component as keyof typeof core]),
  );
}
