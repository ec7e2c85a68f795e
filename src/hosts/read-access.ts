/** The way into a host, from the Secret that a Karmada names. */
import type { ExplicitAccess } from '../kubernetes/connection.ts';
import type { CallOptions, KubernetesClient } from '../kubernetes/contract.ts';
import { resources } from '../kubernetes/resources.ts';
import { accessFrom, secretValues, type HostReference } from './host-access.ts';

/** Why a host is of no use now, with what helps. */
export interface HostProblem {
  readonly reason: string;
  readonly message: string;
}

/** What a host's Secret is called in messages. */
export const secretOf = ({ secret }: HostReference): string =>
  `spec.hostCluster.secretRef: Secret ${secret.namespace}/${secret.name}`;

/**
 * @param client of the cluster with the Secret
 * @throws ApiError, NetworkError when the Secret cannot be read, which says nothing of what is in it
 */
export async function readAccess(
  client: Pick<KubernetesClient, 'find'>,
  reference: HostReference,
  options: CallOptions = {},
): Promise<{ readonly access: ExplicitAccess } | { readonly problem: HostProblem }> {
  const refused = (reason: string, text: string): { readonly problem: HostProblem } => ({
    problem: { reason, message: `${secretOf(reference)} ${text}` },
  });
  const found = await client.find(resources.Secret, reference.secret, options);
  if (found === undefined) return refused('HostSecretMissing', 'is not there; create it');
  const result = accessFrom(secretValues(found), reference.apiEndpoint);
  return 'access' in result ? result : refused('HostSecretInvalid', result.problem);
}
