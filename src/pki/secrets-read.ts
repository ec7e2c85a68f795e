/** Reads the certificates of a control plane from Secrets of this operator or of the upstream operator. */
import { createPublicKey } from 'node:crypto';
import { readAuthority } from './bundle.ts';
import type { AuthorityEvidence, ExistingData, Presence } from './ca-recovery.ts';
import { describeCertificate, publicKeyHash } from './certificate-info.ts';
import { AUTHORITIES, LEAVES, wantedAuthorities, wantedLeaves } from './inventory.ts';
import { readClientPair } from './kubeconfig.ts';
import { RSA_BITS } from '../untrusted/limits.ts';
import { readPrivateKey } from '../untrusted/x509.ts';
import { publicKeyPem, splitPublicKeys } from './pem.ts';
import type { AuthoritySpec, PairLocation } from './specs.ts';
import type {
  Authority,
  AuthorityName,
  CertificateSet,
  KeyPair,
  LeafName,
  PkiInputs,
  SecretData,
  SecretReads,
  SecretRole,
  ServiceAccountKeys,
} from './types.ts';

/** Source of the ServiceAccount keys. `adopted`: `karmada.key` of the upstream operator, which signs tokens there. */
export type ServiceAccountSource = 'own' | 'backup' | 'adopted' | 'none';

export interface ReadSet {
  readonly set: CertificateSet;
  readonly serviceAccountSource: ServiceAccountSource;
}

const dataOf = (reads: SecretReads, role: SecretRole): SecretData => {
  const read = reads[role];
  return read === undefined || typeof read === 'string' ? {} : read;
};

const text = (data: SecretData, key: string): string | undefined => {
  const value = data[key];
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');
};

/** Returns a pair without validation. Undefined if a key of the Secret is missing or empty. */
function pairAt(reads: SecretReads, { secret, ...keys }: PairLocation): KeyPair | undefined {
  const data = dataOf(reads, secret);
  const certificate = text(data, keys.certificate) ?? '';
  const key = text(data, keys.key) ?? '';
  return certificate === '' || key === '' ? undefined : { certificate, key };
}

function authorityAt(
  reads: SecretReads,
  spec: AuthoritySpec,
  location: PairLocation,
): Authority | undefined {
  const files = pairAt(reads, location);
  const successor = pairAt(reads, successorLocation(spec.name));
  return files === undefined
    ? undefined
    : readAuthority({
        bundle: files.certificate,
        key: files.key,
        ...(successor === undefined ? {} : { successor }),
      });
}

/** Returns the location of the successor CA, in a Secret that no Pod mounts. */
export const successorLocation = (name: AuthorityName): PairLocation => ({
  secret: 'ca-backup',
  certificate: `${name}-successor.crt`,
  key: `${name}-successor.key`,
});

/**
 * Reads all readable certificates. A CA comes from `N(cert)`, or else from the backup. Ignores other keys in
 * the Secrets, which server-side apply preserves.
 */
export function readCertificateSet(reads: SecretReads): ReadSet {
  const authorities: Partial<Record<AuthorityName, Authority>> = {};
  for (const spec of AUTHORITIES) {
    const found = spec.stored.map((location) => authorityAt(reads, spec, location));
    const authority = found.find((item) => item !== undefined);
    if (authority !== undefined) authorities[spec.name] = authority;
  }
  const leaves: Partial<Record<LeafName, KeyPair>> = {};
  for (const { name, stored } of LEAVES) {
    const found = stored.map((location) => pairAt(reads, location));
    const pair = found.find((item) => item !== undefined);
    if (pair !== undefined) leaves[name] = pair;
  }
  const kubeconfig = text(dataOf(reads, 'admin-config'), 'karmada.config');
  const admin = kubeconfig === undefined ? undefined : readClientPair(kubeconfig);
  if (admin !== undefined) leaves['admin-client'] = admin;
  const { keys, source } = readServiceAccount(reads);
  return {
    set: { authorities, leaves, ...(keys === undefined ? {} : { serviceAccount: keys }) },
    serviceAccountSource: source,
  };
}

function readServiceAccount(reads: SecretReads): {
  readonly keys?: ServiceAccountKeys;
  readonly source: ServiceAccountSource;
} {
  const own = serviceAccountIn(dataOf(reads, 'service-account-key'));
  if (own !== undefined) return { keys: own, source: 'own' };
  const backup = serviceAccountIn(dataOf(reads, 'ca-backup'));
  if (backup !== undefined) return { keys: backup, source: 'backup' };
  // Only if the Secret of the operator is absent. A damaged or unread Secret must not change the key.
  if (reads['service-account-key'] !== 'absent') return { source: 'none' };
  const adopted = keysOf(text(dataOf(reads, 'cert'), 'karmada.key'), '');
  return adopted === undefined ? { source: 'none' } : { keys: adopted, source: 'adopted' };
}

const serviceAccountIn = (data: SecretData): ServiceAccountKeys | undefined =>
  keysOf(text(data, 'service-account.key'), text(data, 'service-account.pub') ?? '');

function keysOf(signing: string | undefined, bundle: string): ServiceAccountKeys | undefined {
  const key = readPrivateKey(signing ?? '', RSA_BITS.authority);
  if (signing === undefined || key === undefined) return undefined;
  const own = publicKeyPem(key);
  const others = splitPublicKeys(bundle).filter((pem) => isOtherKey(pem, own));
  return { signing, verifying: [own, ...others] };
}

/** Returns whether a key is valid and differs from `own`. An unreadable key would prevent the API server start. */
function isOtherKey(pem: string, own: string): boolean {
  try {
    return publicKeyHash(createPublicKey(pem)) !== publicKeyHash(createPublicKey(own));
  } catch {
    return false;
  }
}

/** Returns the evidence about existing CAs for `decideCAs`. */
export function authorityEvidence(
  inputs: PkiInputs,
  reads: SecretReads,
  lifeSigns: ExistingData,
): AuthorityEvidence {
  const certSecret = completeness(inputs, reads, 'cert');
  const backup = completeness(inputs, reads, 'ca-backup');
  const both = certSecret === 'present' && backup === 'present';
  return {
    certSecret,
    backup: both && !backupAgrees(inputs, reads) ? 'different' : backup,
    otherSecrets: otherSecrets(inputs, reads),
    serviceAccountKeys: serviceAccountKeysAgree(reads) ? 'agree' : 'different',
    lifeSigns,
  };
}

function completeness(
  inputs: PkiInputs,
  reads: SecretReads,
  secret: 'cert' | 'ca-backup',
): Presence | 'incomplete' {
  const read = reads[secret] ?? 'unknown';
  if (typeof read === 'string') return read;
  const complete = wantedAuthorities(inputs).every(
    (spec) => activeIn(reads, spec, secret) !== undefined,
  );
  return complete ? 'present' : 'incomplete';
}

function activeIn(
  reads: SecretReads,
  spec: AuthoritySpec,
  secret: 'cert' | 'ca-backup',
): Authority | undefined {
  const location = spec.stored.find((place) => place.secret === secret);
  return location === undefined ? undefined : authorityAt(reads, spec, location);
}

/** Returns whether the backup contains the active CAs, as active or as successor CAs. */
function backupAgrees(inputs: PkiInputs, reads: SecretReads): boolean {
  const hash = (pem: string | undefined): string | undefined =>
    pem === undefined ? undefined : describeCertificate(pem)?.sha256;
  return wantedAuthorities(inputs).every((spec) => {
    const used = activeIn(reads, spec, 'cert')?.active.certificate;
    const kept = activeIn(reads, spec, 'ca-backup');
    const known = [kept?.active.certificate, kept?.successor?.certificate].map(hash);
    return known.includes(hash(used));
  });
}

/** Returns whether the keys agree. A Secret without a readable key agrees, because the operator restores it. */
function serviceAccountKeysAgree(reads: SecretReads): boolean {
  const used = serviceAccountIn(dataOf(reads, 'service-account-key'));
  const kept = serviceAccountIn(dataOf(reads, 'ca-backup'));
  // The first verification key is derived from the signing key.
  return used === undefined || kept === undefined || used.verifying[0] === kept.verifying[0];
}

/** Returns whether other Secrets of the CAs exist, which proves that a CA existed. */
function otherSecrets(inputs: PkiInputs, reads: SecretReads): Presence {
  const found = secretRoles(inputs)
    .filter((role) => role !== 'cert' && role !== 'ca-backup')
    .map((role) => reads[role] ?? 'unknown');
  if (found.some((read) => typeof read !== 'string')) return 'present';
  return found.includes('unknown') ? 'unknown' : 'absent';
}

/**
 * Returns the roles of all Secrets that the operator reads and writes. Excludes `etcd-cert` with an external
 * etcd, because the user owns that Secret.
 */
export function secretRoles(inputs: PkiInputs): readonly SecretRole[] {
  const stored = [...wantedAuthorities(inputs), ...wantedLeaves(inputs)].flatMap((spec) =>
    spec.stored.map(({ secret }) => secret),
  );
  return [...new Set<SecretRole>([...stored, 'service-account-key', 'admin-config'])];
}
