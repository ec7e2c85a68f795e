/** Secrets that a running control plane was made from, and that a new one would be refused. */
import {
  AUTHORITY_SECRET_FIELD,
  secretRefusal,
  secretsElsewhere,
  type SecretPolicy,
  type SecretRefusal,
} from '../api/secret-grant.ts';
import type { Karmada } from '../api/karmada.ts';
import { resources } from '../kubernetes/resources.ts';
import type { Host } from '../hosts/host.ts';

/**
 * Reads the Secret with the custom CA, of which nothing else is read once the control plane is there.
 * @returns nothing when it cannot be read: that says nothing of the grant
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
  const secret = await client.find(resources.Secret, named.secret).catch(() => undefined);
  const user = { name: metadata.name, namespace: metadata.namespace ?? '' };
  const refusal = secret && secretRefusal(secret.metadata, { field: named.field, user }, policy);
  return refusal === undefined ? [] : [refusal];
}
