/** Reference of a Karmada to its host cluster. Pure functions. */
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';

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

type Recorded = Pick<KarmadaStatus, 'hostUID' | 'hostSecret' | 'hostEndpoint'>;

/** Returns the server as stored in the status. @param server URL of the API server that the operator reached */
export const hostEndpointOf = ({ apiEndpoint }: Partial<HostReference>, server: string): string =>
  apiEndpoint ?? server;

/**
 * Returns whether the operator reached this server before. An endpoint of the spec that the status does not name is new, also if the
 * Secret named the server until then. Older operators stored no `hostEndpoint`, so that of the spec counts.
 */
const isEndpointInUse = (
  { hostUID, hostEndpoint }: Recorded,
  { apiEndpoint }: HostReference,
): boolean =>
  hostUID !== undefined &&
  (apiEndpoint === undefined || hostEndpoint === undefined || hostEndpoint === apiEndpoint);

/** Returns whether a control plane was installed with this Secret and this server. Older operators stored no `hostSecret`. */
export const isHostInUse = (status: Recorded, reference: HostReference): boolean => {
  const { hostSecret = hostSecretOf(reference) } = status;
  return hostSecret === hostSecretOf(reference) && isEndpointInUse(status, reference);
};
