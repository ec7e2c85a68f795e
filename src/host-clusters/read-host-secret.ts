/** Reads the credentials of a host cluster from the Secret that a Karmada references. */
import type { Reason } from '../api/reasons/condition-reasons.ts';
import type { Problem } from '../api/reasons/problem.ts';
import type { ExplicitAccess } from '../kubernetes/connection/connection.ts';
import type { CallOptions, KubernetesClient } from '../kubernetes/client/client-interface.ts';
import type { ObjectMeta } from '../kubernetes/objects/object.ts';
import { resources } from '../kubernetes/objects/resources.ts';
import { parseHostCredentials, secretValues, type ParsedCredentials } from './parse-credentials.ts';
import type { HostReference } from './host-reference.ts';

/** Returns field and name of the Secret for messages. */
export const secretOf = ({ secret }: HostReference): string =>
  `spec.hostCluster.secretRef: Secret ${secret.namespace}/${secret.name}`;

/** Reason for a Secret that does not exist. */
export const HOST_SECRET_MISSING = 'HostSecretMissing';

export type HostSecretResult = (
  Extract<ParsedCredentials, { readonly access: ExplicitAccess }> | { readonly problem: Problem }
) & {
  /** Metadata of the Secret. Absent if it does not exist. */
  readonly secret?: ObjectMeta;
};

/**
 * Reads and validates the credentials.
 * @param client client of the cluster that contains the Secret
 * @throws ApiError or NetworkError when reading the Secret fails, so that its content is unknown
 */
export async function readHostSecret(
  client: Pick<KubernetesClient, 'find'>,
  reference: HostReference,
  options: CallOptions = {},
): Promise<HostSecretResult> {
  const refused = (reason: Reason, text: string): { readonly problem: Problem } => ({
    problem: { reason, message: `${secretOf(reference)} ${text}` },
  });
  const found = await client.find(resources.Secret, reference.secret, options);
  if (found === undefined) return refused(HOST_SECRET_MISSING, 'not found; create it');
  const result = parseHostCredentials(secretValues(found), reference.apiEndpoint);
  const secret = found.metadata;
  return 'access' in result
    ? { ...result, secret }
    : { ...refused('HostSecretInvalid', result.problem), secret };
}
