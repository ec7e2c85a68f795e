/** Reads the certificates of a control plane from Secrets of this operator or of the upstream operator. */
import { setImmediate } from 'node:timers/promises';
import { publishedSuccessor, readAuthority, readSuccessor, type Successor } from './bundle.ts';
import type { AuthorityEvidence, Presence } from './ca-recovery.ts';
import { CROSS_KEY, readCross, withoutChain } from './cross-certificates.ts';
import { LEAVES, wantedAuthorities, wantedLeaves } from './inventory.ts';
import { readClientPair } from './kubeconfig.ts';
import { joinedAuthority, withRetired } from './promotion.ts';
import { FORMER_KEY, joinedKeys, readKeys, SPARE_KEYS } from './service-account-keys.ts';
import { retiredLocation, successorLocation } from './spare-locations.ts';
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

/** Returns the text of a value of a Secret. */
export const valueAt = (reads: SecretReads, role: SecretRole, key: string): string | undefined =>
  text(dataOf(reads, role), key);

/** Returns a pair without validation. Undefined if a key of the Secret is missing or empty. */
export function pairAt(reads: SecretReads, { secret, ...keys }: PairLocation): KeyPair | undefined {
  const data = dataOf(reads, secret);
  const certificate = text(data, keys.certificate) ?? '';
  const key = text(data, keys.key) ?? '';
  return certificate === '' || key === '' ? undefined : { certificate, key };
}

/** CAs and ServiceAccount keys of all Secrets, each parsed once. */
export interface ParsedSecrets {
  /**
   * `other`: the CA of the Secret for etcd members, which is parsed only if no other Secret has it; `joined`: that of `cert` and
   * `ca-backup`, unless these are unrelated
   */
  readonly authorities: ReadonlyMap<AuthorityName, ParsedAuthority>;
  readonly serviceAccount: {
    readonly own?: ServiceAccountKeys;
    readonly backup?: ServiceAccountKeys;
  };
}

type ParsedAuthority = Readonly<
  Partial<Record<'cert' | 'ca-backup' | 'other' | 'joined', Authority>>
>;

/** Parses CAs and ServiceAccount keys. Other reconciles go on between two CAs. */
export async function parseSecrets(inputs: PkiInputs, reads: SecretReads): Promise<ParsedSecrets> {
  const authorities = new Map<AuthorityName, ParsedAuthority>();
  for (const spec of wantedAuthorities(inputs))
    authorities.set(spec.name, await parseAuthority(reads, spec));
  const own = serviceAccountIn(dataOf(reads, 'service-account-key'));
  const backup = serviceAccountIn(dataOf(reads, 'ca-backup'));
  return { authorities, serviceAccount: { ...(own && { own }), ...(backup && { backup }) } };
}

/** Reads a successor. If only its certificate is damaged or missing, the bundle of the CA also contains it. */
function successorIn(reads: SecretReads, { name, stored }: AuthoritySpec): Successor | undefined {
  const location = successorLocation(name);
  const saved = readSuccessor(pairAt(reads, location));
  const key = valueAt(reads, location.secret, location.key);
  if (saved !== undefined || key === undefined) return saved;
  const bundles = stored.map(({ secret, certificate }) => valueAt(reads, secret, certificate));
  const found = bundles.map((bundle = '') => publishedSuccessor(bundle, key));
  return found.find((successor) => successor !== undefined);
}

async function parseAuthority(reads: SecretReads, spec: AuthoritySpec): Promise<ParsedAuthority> {
  const { name, stored } = spec;
  const successor = successorIn(reads, spec);
  const retired = readSuccessor(pairAt(reads, retiredLocation(name)));
  const parsed: Partial<Record<keyof ParsedAuthority, Authority>> = {};
  for (const location of stored) {
    const { secret } = location;
    const place = secret === 'cert' || secret === 'ca-backup' ? secret : 'other';
    if (place === 'other' && Object.keys(parsed).length > 0) continue;
    const files = pairAt(reads, location);
    await setImmediate();
    const authority =
      files &&
      readAuthority({ bundle: files.certificate, key: files.key, ...(successor && { successor }) });
    if (authority !== undefined) parsed[place] = withRetired(authority, retired);
  }
  return withJoined(parsed);
}

function withJoined(parsed: ParsedAuthority): ParsedAuthority {
  const { cert, 'ca-backup': saved } = parsed;
  const joined = cert && saved && joinedAuthority(cert, saved);
  return { ...parsed, ...(joined && { joined }) };
}

const authorityIn = (found: ParsedAuthority): Authority | undefined =>
  found.joined ?? found.cert ?? found['ca-backup'] ?? found.other;

/**
 * Reads all readable certificates. A CA comes from `N(cert)`, or else from the backup. Ignores other keys in
 * the Secrets, which server-side apply preserves.
 */
export function readCertificateSet(reads: SecretReads, parsed: ParsedSecrets): ReadSet {
  const authorities: Partial<Record<AuthorityName, Authority>> = {};
  for (const [name, found] of parsed.authorities) {
    const authority = authorityIn(found);
    if (authority !== undefined) authorities[name] = authority;
  }
  const cross = crossIn(reads, authorities.ca);
  const leaves: Partial<Record<LeafName, KeyPair>> = {};
  for (const { name, stored, isChained } of LEAVES) {
    const found = stored.map((location) => pairAt(reads, location));
    const pair = found.find((item) => item !== undefined);
    if (pair !== undefined) leaves[name] = isChained ? withoutChain(pair, cross) : pair;
  }
  const kubeconfig = text(dataOf(reads, 'admin-config'), 'karmada.config');
  const admin = kubeconfig === undefined ? undefined : readClientPair(kubeconfig);
  if (admin !== undefined) leaves['admin-client'] = admin;
  const { keys, source } = readServiceAccount(reads, parsed);
  return {
    set: {
      ...{ authorities, leaves },
      ...(cross.length > 0 && { cross }),
      ...(keys === undefined ? {} : { serviceAccount: keys }),
    },
    serviceAccountSource: source,
  };
}

/** Reads the CAs that are certified by their predecessors. @param authority as the set has it */
export function crossIn(reads: SecretReads, authority: Authority | undefined): readonly string[] {
  const location = LEAVES.find(({ isChained }) => isChained)?.stored[0];
  const presented = location && valueAt(reads, location.secret, location.certificate);
  return readCross({ saved: valueAt(reads, 'ca-backup', CROSS_KEY), presented }, authority);
}

function readServiceAccount(
  reads: SecretReads,
  { serviceAccount: { own, backup } }: ParsedSecrets,
): { readonly keys?: ServiceAccountKeys; readonly source: ServiceAccountSource } {
  const joined = own && backup && joinedKeys(own, backup);
  if (own !== undefined) return { keys: joined ?? own, source: 'own' };
  if (backup !== undefined) return { keys: backup, source: 'backup' };
  // Only if the Secret of the operator is absent. A damaged or unread Secret must not change the key.
  if (reads['service-account-key'] !== 'absent') return { source: 'none' };
  const adopted = readKeys({ signing: text(dataOf(reads, 'cert'), 'karmada.key') });
  return adopted === undefined ? { source: 'none' } : { keys: adopted, source: 'adopted' };
}

/** Reads the ServiceAccount keys of one Secret. @returns undefined if it has no readable signing key */
export const serviceAccountIn = (data: SecretData): ServiceAccountKeys | undefined =>
  readKeys({
    signing: text(data, 'service-account.key'),
    bundle: text(data, 'service-account.pub'),
    successor: text(data, SPARE_KEYS.successor),
    retired: text(data, SPARE_KEYS.retired),
    former: text(data, FORMER_KEY),
  });

/** Returns the evidence about existing CAs for `decideCAs`. */
export function authorityEvidence(
  inputs: PkiInputs,
  reads: SecretReads,
  parsed: ParsedSecrets,
): Omit<AuthorityEvidence, 'lifeSigns'> {
  const certSecret = completeness(reads, parsed, 'cert');
  const backup = completeness(reads, parsed, 'ca-backup');
  return {
    certSecret,
    backup: backupAgrees(parsed) ? backup : 'different',
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

/** Returns whether the backup contains the active CAs, or a promotion of one of them was interrupted. */
const backupAgrees = ({ authorities }: ParsedSecrets): boolean =>
  [...authorities.values()].every(
    ({ cert, 'ca-backup': saved, joined }) =>
      cert === undefined || saved === undefined || joined !== undefined,
  );

/** Returns whether the keys agree. A Secret without a readable key agrees, because the operator restores it. */
const serviceAccountKeysAgree = ({ serviceAccount: { own, backup } }: ParsedSecrets): boolean =>
  own === undefined || backup === undefined || joinedKeys(own, backup) !== undefined;

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
