/** Name of the Karmada in installs that are disturbed. */
export const disturbedName = 'karmada';

/** The Karmada that is installed again and again while its operator is disturbed: small, with a claim. */
export function disturbedKarmada(namespace: string): object {
  return {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name: disturbedName, namespace },
    spec: { components: { etcd: { local: {} }, karmadaMetricsAdapter: { replicas: 1 } } },
  };
}
