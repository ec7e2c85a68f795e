/** Attack of the administrator of a control plane with objects in it. */
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { MAX_ESTIMATORS } from '../../../src/member-clusters/member-cluster.ts';
import { newPair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { secretOf } from '../external-etcd.ts';
import { numbered } from '../hosts/fleet.ts';
import { untilTold, type Attack } from './attack.ts';
import { karmadaIn, podLimit } from './objects.ts';

/** The control plane of the attacker. */
export const OWN = { namespace: 'attack-plane', name: 'karmada' };

/** The control plane of the attacker, whose estimators get few Pods. */
export const ownControlPlane: readonly KubernetesObject[] = [
  podLimit(OWN.namespace, 16),
  karmadaIn(OWN.namespace, OWN.name, {
    components: {
      etcd: { local: { volumeData: { emptyDir: {} } } },
      karmadaAPIServer: { serviceType: 'NodePort' },
      karmadaMetricsAdapter: { enabled: false },
      karmadaSchedulerEstimator: {},
    },
  }),
];

/** More member clusters than the operator creates estimators for. Their API servers do not respond. */
export async function estimatorsAttack(): Promise<Attack> {
  const { cert } = await newPair({ commonName: 'member' });
  const credentials = { name: 'member', namespace: 'default' };
  const cluster = (name: string): KubernetesObject => ({
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name },
    spec: { syncMode: 'Push', apiEndpoint: 'https://10.0.0.1:6443', secretRef: credentials },
  });
  return {
    namespaces: [],
    objects: [],
    inside: [
      secretOf(credentials, { token: 'token', caBundle: cert }) as KubernetesObject,
      ...numbered('member', MAX_ESTIMATORS + 20).map(cluster),
    ],
    reached: (client) =>
      untilTold(client, OWN, 'SchedulerEstimatorReady', 'EstimatorLimitExceeded'),
  };
}
