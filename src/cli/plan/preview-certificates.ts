/** Decides about the certificates of a control plane as the operator does, and writes nothing. */
import type { SecretPolicy } from '../../api/secrets/secret-grant.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import type { KeyGenerator } from '../../pki/keys.ts';
import type { PkiInputs } from '../../pki/types.ts';
import { adoptableSecrets } from '../../features/adoption/go-secrets.ts';
import {
  decideCertificates,
  type CertificatesDecision,
} from '../../features/certificates/certificates.ts';
import { findApiServerService, pkiInputs } from '../../features/certificates/pki-inputs.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

interface PreviewTools {
  /** Client of the host cluster. */
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly keys: KeyGenerator;
  readonly secretPolicy: SecretPolicy;
}

/**
 * Issues in memory the certificates that are due. Without the permission to read Nodes, their addresses are unknown.
 * @throws ApiError, NetworkError if the Secrets cannot be read
 */
export async function previewCertificates(
  { client, clock, keys, secretPolicy }: PreviewTools,
  subject: Pick<Snapshot, 'karmada' | 'spec' | 'host'>,
): Promise<CertificatesDecision & { readonly inputs: PkiInputs }> {
  const { metadata } = subject.karmada;
  const nodes = await client.list(resources.Node).then(
    ({ items }) => items,
    () => undefined,
  );
  const service = findApiServerService(metadata.name, subject.host.objects);
  const inputs = pkiInputs(subject, service, nodes);
  const tools = { host: { client }, clock, keys, secretPolicy, isPreview: true };
  const recognize = adoptableSecrets(metadata);
  return { inputs, ...(await decideCertificates({ ...tools, recognize }, inputs, subject)) };
}
