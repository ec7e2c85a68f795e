import { API_VERSION, KIND, type Components } from '../../../src/api/karmada.ts';
import { instanceName, WORKLOAD_SUFFIX } from '../../../src/api/naming.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { etcdTag, karmadaReleases, kubernetesReleases } from '../../cluster/releases.ts';

/** Namespace and name of a Karmada object that is measured. */
export interface Instance {
  readonly namespace: string;
  readonly name: string;
}

/** What can be installed. */
export const kinds = ['core'] as const;

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
const core: Components = {
  etcd: { local: { ...image('registry.k8s.io/etcd', etcdTag), volumeData: { emptyDir: {} } } },
  karmadaAPIServer: { ...kubernetes('kube-apiserver'), serviceType: 'ClusterIP' },
  karmadaAggregatedAPIServer: karmada('karmada-aggregated-apiserver'),
  kubeControllerManager: kubernetes('kube-controller-manager'),
  karmadaControllerManager: karmada('karmada-controller-manager'),
  karmadaScheduler: karmada('karmada-scheduler'),
  karmadaWebhook: karmada('karmada-webhook'),
  karmadaMetricsAdapter: karmada('karmada-metrics-adapter'),
};

/** The object that both operators are given. */
export function coreKarmada({ namespace, name }: Instance): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: { namespace, name },
    spec: { components: core },
  };
}

/** Names of the instance's Deployments and of its StatefulSet. */
export function workloadNames({ name }: Instance): string[] {
  return Object.keys(core).map((component) =>
    instanceName(name, WORKLOAD_SUFFIX[component as keyof typeof core]),
  );
}
