/** Name of the Karmada in installations with fault injection. */
export const disturbedName = 'karmada';

/** Karmada for repeated installations with fault injection: small, with a PVC for etcd. */
export function disturbedKarmada(namespace: string): object {
  return {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name: disturbedName, namespace },
    spec: { components: { etcd: { local: {} }, karmadaMetricsAdapter: { replicas: 1 } } },
  };
}
