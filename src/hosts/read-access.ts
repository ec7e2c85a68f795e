/** The way into a host, from the Secret that a Karmada names. */
import type { Problem } from '../api/problem.ts';
import type { ExplicitAccess } from '../kubernetes/connection.ts';
import type { CallOptions, KubernetesClient } from '../kubernetes/contract.ts';
import type { ObjectMeta } from '../kubernetes/object.ts';
import { resources } from '../kubernetes/resources.ts';
import { accessFrom, secretValues } from './host-access.ts';
import type { HostReference } from './host-reference.ts';

/** What a host's Secret is called in messages. */
export const secretOf = ({ secret }: HostReference): string =>
  `spec.hostCluster.secretRef: Secret ${secret.namespace}/${secret.name}`;

export type ReadAccess = ({ readonly access: ExplicitAccess } | { readonly problem: Problem }) & {
  /** Metadata of the Secret; absent when there is none. */
  readonly secret?: ObjectMeta;
};

/**
 * @param client of the cluster with the Secret
 * @throws ApiError, NetworkError when the Secret cannot be read, which says nothing of what is in it
 */
export async function readAccess(
  client: Pick<KubernetesClient, 'find'>,
  reference: HostReference,
  options: CallOptions = {},
): Promise<ReadAccess> {
  const refused = (reason: string, text: string): { readonly problem: Problem } => ({
    problem: { reason, message: `${secretOf(reference)} ${text}` },
  });
  const found = await client.find(resources.Secret, reference.secret, options);
  if (found === undefined) return refused('HostSecretMissing', 'is not there; create it');
  const result = accessFrom(secretValues(found), reference.apiEndpoint);
  const secret = found.metadata;
  return 'access' in result
    ? { ...result, secret }
    : { ...refused('HostSecretInvalid', result.problem), secret };
}
