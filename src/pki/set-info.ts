/** Public information about all certificates of a control plane, for caches, snapshots and status. */
import type { AuthorityInfo, PairInfo } from './public-info.ts';
import { createPublicKey } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { describePair, publicKeyHash } from './certificate-info.ts';
import { OWN_CERTIFICATE } from '../untrusted/limits.ts';
import { AUTHORITIES, LEAVES } from './inventory.ts';
import type {
  Authority,
  AuthorityName,
  CertificateSet,
  KeyPair,
  LeafName,
  ServiceAccountKeys,
} from './types.ts';

export interface CertificateSetInfo {
  readonly authorities: Readonly<Partial<Record<AuthorityName, AuthorityInfo>>>;
  readonly leaves: Readonly<Partial<Record<LeafName, PairInfo>>>;
  /** SHA-256 of the public keys, hex */
  readonly serviceAccount?: { readonly signing: string; readonly verifying: readonly string[] };
}

/** A certificate set that was described. */
export interface DescribedSet {
  readonly set: CertificateSet;
  readonly info: CertificateSetInfo;
}

/**
 * Returns the public information of a certificate set. Unreadable pairs are included as unreadable. Other reconciles go on
 * between two certificates, because a user may have stored large ones.
 * @param before from which the set was made; only what differs is parsed
 */
export async function describeCertificateSet(
  set: CertificateSet,
  before?: DescribedSet,
): Promise<CertificateSetInfo> {
  const leaves: Partial<Record<LeafName, PairInfo>> = {};
  for (const { name, signer } of LEAVES) {
    const pair = set.leaves[name];
    if (pair === undefined) continue;
    const known = before?.set.leaves[name] === pair ? before.info.leaves[name] : undefined;
    leaves[name] = known ?? describeLeaf(name, pair, set.authorities[signer]);
    if (known === undefined) await setImmediate();
  }
  const serviceAccount = describeServiceAccount(set, before);
  return {
    authorities: describeAuthorities(set),
    leaves,
    ...(serviceAccount === undefined ? {} : { serviceAccount }),
  };
}

/** Certificates with SANs of the spec. All others have few SANs. */
const WITH_USER_SANS: ReadonlySet<LeafName> = new Set([
  'apiserver',
  'aggregated-apiserver-serving',
  'etcd-server',
  'etcd-peer',
]);

/** A certificate above its limit counts as unreadable, so the operator reissues it. */
function describeLeaf(name: LeafName, pair: KeyPair, authority: Authority | undefined): PairInfo {
  const { leaf, leafWithSANs } = OWN_CERTIFICATE;
  const most = WITH_USER_SANS.has(name) ? leafWithSANs : leaf;
  if (pair.certificate.length > most) return { keyMatches: false };
  return describePair(pair, authority?.active.certificate);
}

function describeAuthorities({ authorities }: CertificateSet): CertificateSetInfo['authorities'] {
  const infos: Partial<Record<AuthorityName, AuthorityInfo>> = {};
  for (const { name } of AUTHORITIES) {
    const info = authorities[name]?.info;
    if (info !== undefined) infos[name] = info;
  }
  return infos;
}

function describeServiceAccount(
  { serviceAccount: keys }: CertificateSet,
  before: DescribedSet | undefined,
): CertificateSetInfo['serviceAccount'] {
  if (keys === undefined) return undefined;
  return keys === before?.set.serviceAccount ? before.info.serviceAccount : hashesOf(keys);
}

function hashesOf(keys: ServiceAccountKeys): NonNullable<CertificateSetInfo['serviceAccount']> {
  const hash = (pem: string): string => publicKeyHash(createPublicKey(pem));
  return { signing: hash(keys.signing), verifying: keys.verifying.map(hash) };
}
