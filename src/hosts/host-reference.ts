/** How a Karmada names its host cluster: pure. */
import type { Karmada } from '../api/karmada.ts';

/** What of a Karmada says which host it is on. */
export interface HostReference {
  readonly secret: { readonly namespace: string; readonly name: string };
  /** `spec.hostCluster.apiEndpoint`; for a Secret with a token. */
  readonly apiEndpoint?: string;
}

/** The host that a spec names; undefined for the operator's own cluster. */
export function hostReference({ spec }: Pick<Karmada, 'spec'>): HostReference | undefined {
  const { secretRef, apiEndpoint } = spec?.hostCluster ?? {};
  if (!secretRef?.name) return undefined;
  const { name, namespace = '' } = secretRef;
  return { secret: { name, namespace }, ...(apiEndpoint && { apiEndpoint }) };
}

/** Name of a host: the same for all Karmadas that reach it in the same way. */
export const hostIdentity = ({ secret, apiEndpoint = '' }: HostReference): string =>
  `${secret.namespace}/${secret.name} ${apiEndpoint}`;

/** `namespace/name` of the Secret, as the status notes it. */
export const hostSecretOf = ({ secret }: HostReference): string =>
  `${secret.namespace}/${secret.name}`;
