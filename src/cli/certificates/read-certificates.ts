/** Reads the certificates of a control plane from its Secrets. Private keys do not leave this module. */
import type { CertificateInfo } from '../../pki/public-info.ts';
import { defaultSpec, type DefaultedSpec } from '../../api/defaults/defaults.ts';
import type { Karmada } from '../../api/karmada.ts';
import { instanceName } from '../../api/naming.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { wantedAuthorities, wantedLeaves } from '../../pki/inventory.ts';
import { NO_REISSUES, parseReissues, type ReissueRecord } from '../../pki/reissue-record.ts';
import { issuedAt, renewalTime } from '../../pki/reissue-rules.ts';
import { dueReissues, reissuedFor, storedReissues } from '../../pki/reissues.ts';
import { parseSecrets, readCertificateSet, secretRoles } from '../../pki/secrets-read.ts';
import { describeCertificateSet, type CertificateSetInfo } from '../../pki/set-info.ts';
import type { PairLocation } from '../../pki/specs.ts';
import type { PkiInputs, SecretData, SecretReads, SecretRole } from '../../pki/types.ts';
import { pkiInputs } from '../../features/certificates/pki-inputs.ts';
import { rotatesByAge } from '../../features/rotation/due.ts';

/** Public facts about one certificate of a control plane. Times are RFC 3339. */
export interface CertificateRow {
  /** Name as in `spec` and messages of the operator, such as `etcd-server`. */
  readonly name: string;
  readonly isCA: boolean;
  readonly subject: string;
  /** DNS names and IP addresses; empty for a CA and a client certificate. */
  readonly sans: readonly string[];
  /** When the operator issued it. */
  readonly issuedTime: string;
  /** Request of a user for which the operator issued it, as in the annotation `operator.karmada.io/rotate`. */
  readonly reissueRequest?: string;
  readonly notAfter: string;
  /** `automatic`: the operator replaces it after `renewalTime`; a CA only with `spec.certificates.rotation.authorities: Automatic`. */
  readonly renewal: 'automatic' | 'manual';
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
  const { spec, inputs, info, reissues } = await readStored(client, karmada);
  const authorities = wantedAuthorities(inputs).flatMap(({ name, stored }) => {
    const renewal = rotatesByAge(spec, name) ? 'automatic' : 'manual';
    const identity = { name, isCA: true, renewal } as const;
    return rowOf(identity, info.authorities[name]?.active, secretName(inputs, stored));
  });
  const leaves = wantedLeaves(inputs).flatMap(({ name, stored }) => {
    const certificate = info.leaves[name]?.certificate;
    const request = certificate && reissuedFor(reissues, name, certificate.sha256)?.request;
    const identity = { name, isCA: false, renewal: 'automatic' } as const;
    const requested = optionalField('reissueRequest', request);
    return rowOf({ ...identity, ...requested }, certificate, secretName(inputs, stored));
  });
  return [...authorities, ...leaves].sort((one, other) =>
    one.notAfter === other.notAfter ? 0 : one.notAfter < other.notAfter ? -1 : 1,
  );
}

/**
 * Reads how far a request to reissue certificates is.
 * @param client of the host cluster
 * @param value of the annotation
 * @throws as readCertificates
 */
export async function readReissueState(
  client: Pick<KubernetesClient, 'find'>,
  karmada: Karmada,
  value: string,
): Promise<{ readonly isAccepted: boolean; readonly waiting: readonly string[] }> {
  const { info, reissues } = await readStored(client, karmada);
  const due = dueReissues(reissues, info);
  return { isAccepted: reissues.executed.includes(value), waiting: [...due.keys()] };
}

interface Stored {
  readonly spec: DefaultedSpec;
  readonly inputs: PkiInputs;
  readonly info: CertificateSetInfo;
  readonly reissues: ReissueRecord;
}

async function readStored(
  client: Pick<KubernetesClient, 'find'>,
  karmada: Karmada,
): Promise<Stored> {
  const spec = defaultSpec(karmada.spec, { defaultStorageClass: false });
  const inputs = pkiInputs({ karmada, spec }, undefined, []);
  const reads = await readSecrets(client, inputs);
  const parsed = await parseSecrets(inputs, reads);
  const info = await describeCertificateSet(readCertificateSet(reads, parsed).set);
  const reissues = parseReissues(storedReissues(reads) ?? '') ?? NO_REISSUES;
  return { spec, inputs, info, reissues };
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
  identity: Pick<CertificateRow, 'name' | 'isCA' | 'renewal' | 'reissueRequest'>,
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
      issuedTime: new Date(issuedAt(certificate)).toISOString(),
      notAfter: notAfter.toISOString(),
      renewalTime: renewalTime(certificate).toISOString(),
      secret,
    },
  ];
}
