/** Reads the Secret with a custom CA, with the consent of its owner. */
import type { Karmada, KarmadaSpec } from '../api/karmada.ts';
import {
  AUTHORITY_SECRET_FIELD,
  referenceRefusal,
  type SecretPolicy,
} from '../api/secrets/secret-grant.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { resources } from '../kubernetes/objects/resources.ts';
import type { CustomCA } from '../pki/custom-ca.ts';

interface Subject {
  readonly karmada: Pick<Karmada, 'metadata'>;
  readonly spec: Pick<KarmadaSpec, 'customCertificate'>;
}

/**
 * Reads the custom CA of a control plane.
 * @returns undefined if the spec references none
 * @throws ApiError, NetworkError
 */
export async function readCustomAuthority(
  { client }: { readonly client: Pick<KubernetesClient, 'find'> },
  { karmada, spec }: Subject,
  policy: SecretPolicy,
): Promise<CustomCA | undefined> {
  const reference = spec.customCertificate?.apiServerCACert;
  const { name, namespace } = reference ?? {};
  if (name === undefined || namespace === undefined) return undefined;
  const found = await client.find(resources.Secret, { namespace, name });
  const secret = `${namespace}/${name}`;
  const { name: user, namespace: own = '' } = karmada.metadata;
  const use = { field: AUTHORITY_SECRET_FIELD, user: { name: user, namespace: own } };
  const refusal = referenceRefusal({ namespace, name }, found?.metadata, use, policy);
  if (refusal !== undefined) return { secret, refusal };
  if (found === undefined) return { secret };
  const data = found.data ?? {};
  return {
    secret,
    files: { bundle: decoded(data['tls.crt']), key: decoded(data['tls.key']) },
  };
}

const decoded = (value = ''): string => Buffer.from(value, 'base64').toString('utf8');
