/** Public information about all certificates of a control plane, for caches, snapshots and status. */
import { createPublicKey } from 'node:crypto';
import { bundleOf } from './bundle.ts';
import { describeCertificate, describePair, publicKeyHash } from './certificate-info.ts';
import type { CertificateInfo, PairInfo } from './certificate-info.ts';
import { AUTHORITIES, LEAVES } from './inventory.ts';
import type { Authority, AuthorityName, CertificateSet, LeafName } from './types.ts';

interface AuthorityInfo {
  readonly active: CertificateInfo;
  readonly successor?: CertificateInfo;
  /** complete bundle, `active` first */
  readonly bundle: readonly CertificateInfo[];
}

export interface CertificateSetInfo {
  readonly authorities: Readonly<Partial<Record<AuthorityName, AuthorityInfo>>>;
  readonly leaves: Readonly<Partial<Record<LeafName, PairInfo>>>;
  /** SHA-256 of the public keys, hex */
  readonly serviceAccount?: { readonly signing: string; readonly verifying: readonly string[] };
}

/** Returns the public information of a certificate set. Unreadable pairs are included as unreadable. */
export function describeCertificateSet(set: CertificateSet): CertificateSetInfo {
  const authorities: Partial<Record<AuthorityName, AuthorityInfo>> = {};
  for (const { name } of AUTHORITIES) {
    const info = describeAuthority(set.authorities[name]);
    if (info !== undefined) authorities[name] = info;
  }
  const leaves: Partial<Record<LeafName, PairInfo>> = {};
  for (const { name, signer } of LEAVES) {
    const pair = set.leaves[name];
    const authority = set.authorities[signer];
    const bundle = authority === undefined ? [] : bundleOf(authority);
    if (pair !== undefined) leaves[name] = describePair(pair, bundle);
  }
  const serviceAccount = describeServiceAccount(set);
  return { authorities, leaves, ...(serviceAccount === undefined ? {} : { serviceAccount }) };
}

function describeAuthority(authority: Authority | undefined): AuthorityInfo | undefined {
  if (authority === undefined) return undefined;
  const active = describeCertificate(authority.active.certificate);
  if (active === undefined) return undefined;
  const successor = describeCertificate(authority.successor?.certificate ?? '');
  const bundle = bundleOf(authority).map(describeCertificate);
  return {
    active,
    ...(successor === undefined ? {} : { successor }),
    bundle: bundle.filter((info) => info !== undefined),
  };
}

function describeServiceAccount(set: CertificateSet): CertificateSetInfo['serviceAccount'] {
  const keys = set.serviceAccount;
  if (keys === undefined) return undefined;
  const hash = (pem: string): string => publicKeyHash(createPublicKey(pem));
  return { signing: hash(keys.signing), verifying: keys.verifying.map(hash) };
}
