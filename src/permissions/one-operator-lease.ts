/** The Lease that allows only one operator installation in a cluster, and the identity of its holder. */

/**
 * Its name is fixed and independent of the installation, because each operator reconciles the Karmada objects of all namespaces.
 */
export const ONE_OPERATOR_LEASE = {
  namespace: 'kube-system',
  name: 'karmadas.operator.karmada.io',
} as const;

/** Namespace of an installation, if its flags name no other. */
export const DEFAULT_NAMESPACE = 'karmada-system';

/** An installation has the namespace and name of its leader Lease. */
export interface Installation {
  readonly namespace: string;
  readonly name: string;
}

/** Identity of an installation as holder of the Lease. */
export const identityOf = ({ namespace, name }: Installation): string => `${namespace}/${name}`;

/** Namespace of an installation. @returns undefined if the identity is not that of an installation */
export const namespaceOfIdentity = (identity: string): string | undefined =>
  /^([^/]+)\/[^/]+$/.exec(identity)?.[1];
