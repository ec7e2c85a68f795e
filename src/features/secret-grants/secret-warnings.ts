/** Warnings for Secrets that a running control plane uses and that a new Karmada could not use. */
import {
  AUTHORITY_SECRET_FIELD,
  referenceRefusal,
  secretsElsewhere,
  type SecretPolicy,
  type SecretRefusal,
} from '../../api/secrets/secret-grant.ts';
import type { Karmada } from '../../api/karmada.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import type { Host } from '../../host-clusters/host.ts';

/**
 * Checks the grant of the custom CA Secret. The operator does not read this Secret otherwise after the installation.
 * @returns an empty list if the Secret cannot be read, because the grant is then unknown
 */
export async function authorityWarnings(
  { client }: Pick<Host, 'client'>,
  { metadata, spec }: Pick<Karmada, 'metadata' | 'spec'>,
  policy: SecretPolicy,
): Promise<readonly SecretRefusal[]> {
  const named = secretsElsewhere({ metadata, ...(spec && { spec }) }).find(
    ({ field }) => field === AUTHORITY_SECRET_FIELD,
  );
  if (named === undefined) return [];
  const user = { name: metadata.name, namespace: metadata.namespace ?? '' };
  const use = { field: named.field, user };
  const refusal = await client.find(resources.Secret, named.secret).then(
    (secret) => referenceRefusal(named.secret, secret?.metadata, use, policy),
    () => undefined,
  );
  return refusal === undefined ? [] : [refusal];
}
