/**
 * Certificate authorities (CAs) and their bundles. The operator creates a successor CA together with each CA
 * and publishes both in every bundle. Therefore a later switch to the successor needs no restart for trust.
 */
import type { CertificateInfo } from './public-info.ts';
import { createPublicKey } from 'node:crypto';
import { describeCertificate, identifyCertificate, publicKeyHash } from './certificate-info.ts';
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
  const active = await selfSigned(spec.commonName, key, context);
  const info = describeOwn(active);
  return withSuccessor({ active, trusted: [], info: { active: info, bundle: [info] } }, successor);
}

/** Adds a new successor to a CA that has none. */
export function withSuccessor(authority: Authority, successor: KeyPair): Authority {
  const info = describeOwn(successor);
  const [active, ...others] = authority.info.bundle;
  const bundle = [...(active === undefined ? [] : [active]), info, ...others];
  return { ...authority, successor, info: { ...authority.info, successor: info, bundle } };
}

function describeOwn({ certificate }: KeyPair): CertificateInfo {
  const info = describeCertificate(certificate);
  if (info === undefined) throw new Error('the certificate of a new CA is unreadable');
  return info;
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
  readonly successor?: Successor;
}

/** A successor CA whose files belong together. */
export interface Successor {
  readonly pair: KeyPair;
  readonly info: CertificateInfo;
}

/**
 * Reads a CA from its files. The active certificate is the one that matches the private key. Certificates
 * without a key stay trusted, because the operator never revokes trust as a side effect.
 * @returns undefined if no certificate matches the key, or a certificate of the bundle is unreadable
 */
export function readAuthority({ bundle, key, successor }: AuthorityFiles): Authority | undefined {
  const owner = publicHalf(key);
  if (owner === undefined) return undefined;
  const found = certificateBlocks(bundle).map((pem) => ({ pem, id: identifyCertificate(pem) }));
  const known = found.flatMap(({ pem, id }) => (id === undefined ? [] : [{ pem, ...id }]));
  if (known.length < found.length) return undefined;
  const active = activeOf(
    known.filter(({ publicKey }) => publicKey === owner).map(({ pem }) => pem),
  );
  if (active === undefined) return undefined;
  const next = successor?.info.publicKey === owner ? undefined : successor;
  const named = [active.info.sha256, next?.info.sha256];
  const others = known.filter(({ sha256 }) => !named.includes(sha256));
  return {
    active: { certificate: active.pem, key },
    ...(next === undefined ? {} : { successor: next.pair }),
    trusted: others.map(({ pem }) => pem),
    info: {
      active: active.info,
      ...(next === undefined ? {} : { successor: next.info }),
      bundle: [active.info, ...(next === undefined ? [] : [next.info]), ...others],
    },
  };
}

/** Returns the first CA certificate. Reads one certificate, unless others have its key. */
function activeOf(
  certificates: readonly string[],
): { readonly pem: string; readonly info: CertificateInfo } | undefined {
  for (const pem of certificates) {
    const info = describeCertificate(pem);
    if (info?.isAuthority === true) return { pem, info };
  }
  return undefined;
}

/** Reads a successor CA. @returns undefined if it is not a CA certificate with its private key */
export function readSuccessor(pair: KeyPair | undefined): Successor | undefined {
  if (pair === undefined) return undefined;
  const info = describeCertificate(pair.certificate);
  if (info === undefined || !info.isAuthority) return undefined;
  return info.publicKey === publicHalf(pair.key) ? { pair, info } : undefined;
}

/** Finds the certificate of a successor CA in the bundle of its CA. @param key private key of the successor (PEM) */
export function publishedSuccessor(bundle: string, key: string): Successor | undefined {
  const owner = publicHalf(key);
  const certificate = certificateBlocks(bundle).find(
    (pem) => identifyCertificate(pem)?.publicKey === owner,
  );
  return owner === undefined || certificate === undefined
    ? undefined
    : readSuccessor({ certificate, key });
}

/** Returns the hash of the public key of a private key. */
function publicHalf(key: string): string | undefined {
  const privateKey = readPrivateKey(key, RSA_BITS.authority);
  return privateKey === undefined ? undefined : publicKeyHash(createPublicKey(privateKey));
}
