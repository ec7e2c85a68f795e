/** Reads the certificates of a control plane from Secrets of this operator or of the upstream operator. */
import { createPublicKey } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { readAuthority, readSuccessor } from './bundle.ts';
import type { AuthorityEvidence, Presence } from './ca-recovery.ts';
import { publicKeyHash } from './certificate-info.ts';
import { LEAVES, wantedAuthorities, wantedLeaves } from './inventory.ts';
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

/** Returns the location of the successor CA, in a Secret that no Pod mounts. */
export const successorLocation = (name: AuthorityName): PairLocation => ({
  secret: 'ca-backup',
  certificate: `${name}-successor.crt`,
  key: `${name}-successor.key`,
});

/** CAs and ServiceAccount keys of all Secrets, each parsed once. */
export interface ParsedSecrets {
  /** `other`: the CA of the Secret for etcd members, which is parsed only if no other Secret has it */
  readonly authorities: ReadonlyMap<AuthorityName, ParsedAuthority>;
  readonly serviceAccount: {
    readonly own?: ServiceAccountKeys;
    readonly backup?: ServiceAccountKeys;
  };
}

type ParsedAuthority = Readonly<Partial<Record<'cert' | 'ca-backup' | 'other', Authority>>>;

/** Parses CAs and ServiceAccount keys. Other reconciles go on between two CAs. */
export async function parseSecrets(inputs: PkiInputs, reads: SecretReads): Promise<ParsedSecrets> {
  const authorities = new Map<AuthorityName, ParsedAuthority>();
  for (const spec of wantedAuthorities(inputs))
    authorities.set(spec.name, await parseAuthority(reads, spec));
  const own = serviceAccountIn(dataOf(reads, 'service-account-key'));
  const backup = serviceAccountIn(dataOf(reads, 'ca-backup'));
  return { authorities, serviceAccount: { ...(own && { own }), ...(backup && { backup }) } };
}

async function parseAuthority(
  reads: SecretReads,
  { name, stored }: AuthoritySpec,
): Promise<ParsedAuthority> {
  const successor = readSuccessor(pairAt(reads, successorLocation(name)));
  const parsed: Partial<Record<'cert' | 'ca-backup' | 'other', Authority>> = {};
  for (const location of stored) {
    const { secret } = location;
    const place = secret === 'cert' || secret === 'ca-backup' ? secret : 'other';
    if (place === 'other' && Object.keys(parsed).length > 0) continue;
    const files = pairAt(reads, location);
    await setImmediate();
    const authority =
      files &&
      readAuthority({ bundle: files.certificate, key: files.key, ...(successor && { successor }) });
    if (authority !== undefined) parsed[place] = authority;
  }
  return parsed;
}

/**
 * Reads all readable certificates. A CA comes from `N(cert)`, or else from the backup. Ignores other keys in
 * the Secrets, which server-side apply preserves.
 */
export function readCertificateSet(reads: SecretReads, parsed: ParsedSecrets): ReadSet {
  const authorities: Partial<Record<AuthorityName, Authority>> = {};
  for (const [name, found] of parsed.authorities) {
    const authority = found.cert ?? found['ca-backup'] ?? found.other;
    if (authority !== undefined) authorities[name] = authority;
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
  const { keys, source } = readServiceAccount(reads, parsed);
  return {
    set: { authorities, leaves, ...(keys === undefined ? {} : { serviceAccount: keys }) },
    serviceAccountSource: source,
  };
}

function readServiceAccount(
  reads: SecretReads,
  { serviceAccount: { own, backup } }: ParsedSecrets,
): { readonly keys?: ServiceAccountKeys; readonly source: ServiceAccountSource } {
  if (own !== undefined) return { keys: own, source: 'own' };
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
  const hash = publicKeyHash(createPublicKey(key));
  const others = splitPublicKeys(bundle).filter((pem) => isOtherKey(pem, hash));
  return { signing, verifying: [own, ...others] };
}

/** Returns whether a key is valid and differs from that with the hash `own`. An unreadable key would prevent the API server start. */
function isOtherKey(pem: string, own: string): boolean {
  try {
    return publicKeyHash(createPublicKey(pem)) !== own;
  } catch {
    return false;
  }
}

/** Returns the evidence about existing CAs for `decideCAs`. */
export function authorityEvidence(
  inputs: PkiInputs,
  reads: SecretReads,
  parsed: ParsedSecrets,
): Omit<AuthorityEvidence, 'lifeSigns'> {
  const certSecret = completeness(reads, parsed, 'cert');
  const backup = completeness(reads, parsed, 'ca-backup');
  const both = certSecret === 'present' && backup === 'present';
  return {
    certSecret,
    backup: both && !backupAgrees(parsed) ? 'different' : backup,
    otherSecrets: otherSecrets(inputs, reads),
    serviceAccountKeys: serviceAccountKeysAgree(parsed) ? 'agree' : 'different',
  };
}

function completeness(
  reads: SecretReads,
  { authorities }: ParsedSecrets,
  secret: 'cert' | 'ca-backup',
): Presence | 'incomplete' {
  const read = reads[secret] ?? 'unknown';
  if (typeof read === 'string') return read;
  const complete = [...authorities.values()].every((found) => found[secret] !== undefined);
  return complete ? 'present' : 'incomplete';
}

/** Returns whether the backup contains the active CAs, as active or as successor CAs. */
const backupAgrees = ({ authorities }: ParsedSecrets): boolean =>
  [...authorities.values()].every(({ cert, 'ca-backup': kept }) => {
    const known = [kept?.info.active.sha256, kept?.info.successor?.sha256];
    return known.includes(cert?.info.active.sha256);
  });

/** Returns whether the keys agree. A Secret without a readable key agrees, because the operator restores it. */
function serviceAccountKeysAgree({ serviceAccount: { own, backup } }: ParsedSecrets): boolean {
  // The first verification key is derived from the signing key.
  return own === undefined || backup === undefined || own.verifying[0] === backup.verifying[0];
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
