/** Reads the certificates of a control plane from its Secrets. Private keys do not leave this module. */
import type { CertificateInfo } from '../../pki/public-info.ts';
import { defaultSpec } from '../../api/defaults.ts';
import type { Karmada } from '../../api/karmada.ts';
import { instanceName } from '../../api/naming.ts';
import type { KubernetesClient } from '../../kubernetes/client-interface.ts';
import { resources } from '../../kubernetes/resources.ts';
import { wantedAuthorities, wantedLeaves } from '../../pki/inventory.ts';
import { renewalTime } from '../../pki/reissue-rules.ts';
import { parseSecrets, readCertificateSet, secretRoles } from '../../pki/secrets-read.ts';
import { describeCertificateSet } from '../../pki/set-info.ts';
import type { PairLocation } from '../../pki/specs.ts';
import type { PkiInputs, SecretData, SecretReads, SecretRole } from '../../pki/types.ts';
import { pkiInputs } from '../../features/certificates/pki-inputs.ts';

/** Public facts about one certificate of a control plane. Times are RFC 3339. */
export interface CertificateRow {
  /** Name as in `spec` and messages of the operator, such as `etcd-server`. */
  readonly name: string;
  readonly isCA: boolean;
  readonly subject: string;
  /** DNS names and IP addresses; empty for a CA and a client certificate. */
  readonly sans: readonly string[];
  readonly notAfter: string;
  /** After this time the operator renews a certificate; it never renews a CA on its own. */
  readonly renewalTime: string;
  /** Secret with the certificate, in the namespace of the Karmada. */
  readonly secret: string;
}

/**
 * Reads all certificates of a control plane.
 * @param client of the host cluster
 * @returns sorted by expiry
 * @throws ApiError, NetworkError if a Secret cannot be read
 */
export async function readCertificates(
  client: Pick<KubernetesClient, 'find'>,
  karmada: Karmada,
): Promise<readonly CertificateRow[]> {
  const spec = defaultSpec(karmada.spec, { defaultStorageClass: false });
  const inputs = pkiInputs({ karmada, spec }, undefined, []);
  const reads = await readSecrets(client, inputs);
  const parsed = await parseSecrets(inputs, reads);
  const info = await describeCertificateSet(readCertificateSet(reads, parsed).set);
  const authorities = wantedAuthorities(inputs).flatMap(({ name, stored }) =>
    rowOf({ name, isCA: true }, info.authorities[name]?.active, secretName(inputs, stored)),
  );
  const leaves = wantedLeaves(inputs).flatMap(({ name, stored }) =>
    rowOf({ name, isCA: false }, info.leaves[name]?.certificate, secretName(inputs, stored)),
  );
  return [...authorities, ...leaves].sort((one, other) =>
    one.notAfter === other.notAfter ? 0 : one.notAfter < other.notAfter ? -1 : 1,
  );
}

async function readSecrets(
  client: Pick<KubernetesClient, 'find'>,
  inputs: PkiInputs,
): Promise<SecretReads> {
  const { name, namespace } = inputs;
  const entries = secretRoles(inputs).map(
    async (role): Promise<[SecretRole, SecretData | 'absent']> => {
      const found = await client.find(resources.Secret, {
        namespace,
        name: instanceName(name, role),
      });
      return [role, found === undefined ? 'absent' : (found.data ?? {})];
    },
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** The admin certificate is inline in a kubeconfig, so it has no location of its own. */
const secretName = ({ name }: PkiInputs, stored: readonly PairLocation[]): string =>
  instanceName(name, stored[0]?.secret ?? 'admin-config');

function rowOf(
  identity: Pick<CertificateRow, 'name' | 'isCA'>,
  certificate: CertificateInfo | undefined,
  secret: string,
): readonly CertificateRow[] {
  if (certificate === undefined) return [];
  const { commonName, organizations, dns, ips, notAfter } = certificate;
  return [
    {
      ...identity,
      subject: [`CN=${commonName}`, ...organizations.map((name) => `O=${name}`)].join(','),
      sans: [...dns, ...ips],
      notAfter: notAfter.toISOString(),
      renewalTime: renewalTime(certificate).toISOString(),
      secret,
    },
  ];
}
