/** Finds Secrets in other namespaces that a Karmada references but may not use. */
import type { Karmada } from '../api/karmada.ts';
import {
  secretRefusal,
  secretsElsewhere,
  type NamedSecret,
  type SecretPolicy,
} from '../api/secrets/secret-grant.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { resources } from '../kubernetes/objects/resources.ts';

/**
 * Returns one line (reason and message) for each rejected Secret. A Secret that does not exist is not reported.
 * @param clients by the cluster that contains the Secret
 * @throws ApiError, NetworkError if a Secret cannot be read
 */
export async function ungrantedSecrets(
  clients: Readonly<Record<NamedSecret['cluster'], Pick<KubernetesClient, 'find'>>>,
  { metadata, spec }: Pick<Karmada, 'metadata' | 'spec'>,
  policy: SecretPolicy,
): Promise<readonly string[]> {
  const user = { name: metadata.name, namespace: metadata.namespace ?? '' };
  const named = secretsElsewhere({ metadata, ...(spec && { spec }) });
  const lines = await Promise.all(
    named.map(async ({ field, secret, cluster }) => {
      const found = await clients[cluster].find(resources.Secret, secret);
      const refusal = found && secretRefusal(found.metadata, { field, user }, policy);
      return refusal === undefined ? [] : [`${refusal.reason}: ${refusal.message}`];
    }),
  );
  return lines.flat();
}
