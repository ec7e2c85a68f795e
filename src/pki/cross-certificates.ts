/**
 * CAs certified by their predecessors. Agents of member clusters and copied kubeconfigs may trust only a former CA. They verify a
 * server whose certificate comes with these: from its CA to the former one, also after several rotations.
 */
import { RSA_BITS } from '../untrusted/limits.ts';
import { certificateBlocks } from '../untrusted/pem.ts';
import { readCertificate, readPrivateKey } from '../untrusted/x509.ts';
import { bundleOf } from './bundle.ts';
import { describeCertificate, identifyCertificate, isSignedBy } from './certificate-info.ts';
import type { Issuance } from './keys.ts';
import { readStructure } from './structure.ts';
import type { Authority, KeyPair } from './types.ts';
import { DAY, signedBy } from './x509.ts';

/** Key of the Secret `N(ca-backup)`: certificates in PEM, the newest first. */
export const CROSS_KEY = 'ca-cross.crt';

/** Maximum number. A server sends them in each handshake, and CAs that are rotated on request may live for ten years. */
const MAX_CROSS = 8;

/** A CA, and the one that certifies it. */
interface Certification {
  readonly root: KeyPair;
  readonly by: KeyPair;
}

/**
 * Returns the certificates with that of a CA by its predecessor. What has expired is left out when another one is added.
 * @throws Error if the predecessor cannot sign
 */
export async function withCross(
  cross: readonly string[],
  { root, by }: Certification,
  issuance: Issuance,
): Promise<readonly string[]> {
  const isCertified = cross.some(
    (pem) => isOf(pem, root.certificate) && isSignedBy(pem, by.certificate),
  );
  const made = isCertified ? undefined : await certified({ root, by }, issuance);
  if (made === undefined) return cross;
  const valid = cross.filter((pem) => isValid(pem, issuance.now));
  return [made, ...valid].slice(0, MAX_CROSS);
}

/** It ends with the first of both CAs. */
async function certified(
  { root, by }: Certification,
  issuance: Issuance,
): Promise<string | undefined> {
  const info = describeCertificate(root.certificate);
  const key = readPrivateKey(root.key, RSA_BITS.authority);
  if (info === undefined || key === undefined) return undefined;
  const validityDays = (info.notAfter.getTime() - issuance.now.getTime()) / DAY;
  const certificate = readCertificate(root.certificate);
  const certified = {
    ...{ subject: { commonName: info.commonName }, validityDays },
    // A CA of a user may have any name. Its certificates refer to this name and this key identifier.
    ...(certificate && { authority: readStructure(certificate.raw) }),
  };
  return (await signedBy(by, certified, key, issuance)).certificate;
}

const isValid = (pem: string, now: Date): boolean =>
  (describeCertificate(pem)?.notAfter ?? now) > now;

/** Whether a certificate is of the same CA as another one. */
function isOf(pem: string, authority: string): boolean {
  const [one, other] = [pem, authority].map(identifyCertificate);
  return one !== undefined && one.publicKey === other?.publicKey;
}

/** Returns those that lead from a CA to its predecessors, in this order. @param authority PEM certificate of the CA */
function crossChain(authority: string, cross: readonly string[]): readonly string[] {
  const chain: string[] = [];
  let next = cross.filter((pem) => isOf(pem, authority));
  while (next.length > 0) {
    chain.push(...next);
    const signed = next;
    next = cross.filter(
      (pem) => !chain.includes(pem) && signed.some((one) => isSignedBy(one, pem)),
    );
  }
  return chain;
}

/** Returns the pair with the certificates that lead from its CA to the predecessors. What it has already is not repeated. */
export function withChain(
  pair: KeyPair,
  { active }: Pick<Authority, 'active'>,
  cross: readonly string[],
): KeyPair {
  if (cross.length === 0) return pair;
  const present = certificateBlocks(pair.certificate);
  const lacking = crossChain(active.certificate, cross).filter((pem) => !present.includes(pem));
  return { ...pair, certificate: `${pair.certificate}${lacking.join('')}` };
}

/** Returns the pair without them. Other certificates behind the first one stay, such as intermediate ones of a user. */
export function withoutChain(pair: KeyPair, cross: readonly string[]): KeyPair {
  const [leaf, ...others] = certificateBlocks(pair.certificate);
  const isChain = others.length > 0 && others.every((pem) => cross.includes(pem));
  return leaf === undefined || !isChain ? pair : { ...pair, certificate: leaf };
}

/** Where certificates of CAs by their predecessors are stored, PEM. */
interface StoredCross {
  /** Value of the CA backup Secret; absent if it has none. */
  readonly saved: string | undefined;
  /** Certificate of the API server, with what follows it. */
  readonly presented: string | undefined;
}

/**
 * Reads the certificates of the CA backup Secret. A restored one may lack them: then those that the API server presents count,
 * because nobody can issue them again without the key of the predecessor.
 */
export function readCross(
  { saved, presented = '' }: StoredCross,
  authority: Authority | undefined,
): readonly string[] {
  if (saved !== undefined || authority === undefined)
    return certificateBlocks(saved ?? '').slice(0, MAX_CROSS);
  const [, ...others] = certificateBlocks(presented).slice(0, MAX_CROSS + 1);
  if (others.length === 0) return [];
  const known = new Set(bundleOf(authority).map((pem) => identifyCertificate(pem)?.sha256));
  const unknown = others.filter((pem) => !known.has(identifyCertificate(pem)?.sha256));
  return crossChain(authority.active.certificate, unknown);
}

/** Returns which CAs are certified by which. @param known PEM certificates of CAs by SHA-256 */
export function crossSignedIn(
  cross: readonly string[],
  known: ReadonlyMap<string, string>,
): readonly { readonly root: string; readonly by: string }[] {
  const keys = [...known].map(
    ([root, pem]) => [root, identifyCertificate(pem)?.publicKey] as const,
  );
  return cross.flatMap((pem) => {
    const key = identifyCertificate(pem)?.publicKey;
    const roots = keys.filter(([, own]) => own !== undefined && own === key);
    if (roots.length === 0) return [];
    const signers = [...known].filter(([, other]) => isSignedBy(pem, other));
    return roots.flatMap(([root]) => signers.map(([by]) => ({ root, by })));
  });
}
