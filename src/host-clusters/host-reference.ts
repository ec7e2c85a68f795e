/** Reference of a Karmada to its host cluster. Pure functions. */
import type { Karmada } from '../api/karmada.ts';

/** Fields of a Karmada that select its host cluster. */
export interface HostReference {
  readonly secret: { readonly namespace: string; readonly name: string };
  /** `spec.hostCluster.apiEndpoint`. For a Secret with a token. */
  readonly apiEndpoint?: string;
}

/** Returns the host cluster of a spec. Undefined for the management cluster. */
export function hostReference({ spec }: Pick<Karmada, 'spec'>): HostReference | undefined {
  const { secretRef, apiEndpoint } = spec?.hostCluster ?? {};
  if (!secretRef?.name) return undefined;
  const { name, namespace = '' } = secretRef;
  return { secret: { name, namespace }, ...(apiEndpoint && { apiEndpoint }) };
}

/** Returns the key of a host cluster, equal for all Karmadas with the same Secret and endpoint. */
export const hostIdentity = ({ secret, apiEndpoint = '' }: HostReference): string =>
  `${secret.namespace}/${secret.name} ${apiEndpoint}`;

/** Returns `namespace/name` of the Secret, as stored in the status. */
export const hostSecretOf = ({ secret }: HostReference): string =>
  `${secret.namespace}/${secret.name}`;
