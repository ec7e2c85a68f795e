/**
 * Certificate authorities (CAs) and their bundles. The operator creates a successor CA together with each CA
 * and publishes both in every bundle. Therefore a later switch to the successor needs no restart for trust.
 */
import { createPublicKey } from 'node:crypto';
import { describeCertificate, publicKeyHash } from './certificate-info.ts';
import type { KeyGenerator } from './keys.ts';
import { certificateBlocks } from '../untrusted/pem.ts';
import { RSA_BITS } from '../untrusted/limits.ts';
import { readPrivateKey } from '../untrusted/x509.ts';
import type { AuthoritySpec } from './specs.ts';
import type { Authority, KeyPair } from './types.ts';
import { keyIdentifier, selfSigned } from './x509.ts';
import type { IssueContext } from './x509.ts';

/** @returns the trusted certificates (PEM): active CA, successor CA, then all others */
export const bundleOf = ({ active, successor, trusted }: Authority): readonly string[] => [
  active.certificate,
  ...(successor === undefined ? [] : [successor.certificate]),
  ...trusted,
];

/** Creates a CA and its successor. */
export async function createAuthority(
  spec: AuthoritySpec,
  keys: KeyGenerator,
  context: IssueContext,
): Promise<Authority> {
  const [key, successor] = await Promise.all([
    keys.generate('ec-p256'),
    createSuccessor(spec, keys, context),
  ]);
  return { active: await selfSigned(spec.commonName, key, context), successor, trusted: [] };
}

/** Creates a successor CA. Its common name is unique, so a chain never has two issuers with the same name. */
export async function createSuccessor(
  spec: AuthoritySpec,
  keys: KeyGenerator,
  context: IssueContext,
): Promise<KeyPair> {
  const key = await keys.generate('ec-p256');
  const mark = keyIdentifier(key).toString('hex').slice(0, 8);
  return selfSigned(`${spec.commonName}-${mark}`, key, context);
}

/** Contents of the files of a CA. */
export interface AuthorityFiles {
  /** PEM, one or more certificates */
  readonly bundle: string;
  /** PEM */
  readonly key: string;
  readonly successor?: KeyPair;
}

/**
 * Reads a CA from its files. The active certificate is the one that matches the private key. Certificates
 * without a key stay trusted, because the operator never revokes trust as a side effect.
 * @returns undefined if no certificate matches the key, or a certificate of the bundle is unreadable
 */
export function readAuthority({ bundle, key, successor }: AuthorityFiles): Authority | undefined {
  const certificates = certificateBlocks(bundle);
  const infos = certificates.map(describeCertificate);
  const owner = publicHalf(key);
  const active = infos.findIndex((info) => info?.publicKey === owner && info?.isAuthority === true);
  const certificate = certificates[active];
  if (certificate === undefined || owner === undefined || infos.includes(undefined))
    return undefined;
  const next = readSuccessor(successor, owner);
  const known = [infos[active]?.sha256, next?.sha256];
  return {
    active: { certificate, key },
    ...(next === undefined ? {} : { successor: next.pair }),
    trusted: certificates.filter((_, index) => !known.includes(infos[index]?.sha256)),
  };
}

function readSuccessor(
  pair: KeyPair | undefined,
  activeKey: string,
): { readonly pair: KeyPair; readonly sha256: string } | undefined {
  const info = pair === undefined ? undefined : describeCertificate(pair.certificate);
  if (pair === undefined || info === undefined || !info.isAuthority) return undefined;
  if (info.publicKey !== publicHalf(pair.key) || info.publicKey === activeKey) return undefined;
  return { pair, sha256: info.sha256 };
}

/** Returns the hash of the public key of a private key. */
function publicHalf(key: string): string | undefined {
  const privateKey = readPrivateKey(key, RSA_BITS.authority);
  return privateKey === undefined ? undefined : publicKeyHash(createPublicKey(privateKey));
}
