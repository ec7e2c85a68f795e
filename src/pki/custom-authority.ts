/** The user's own authority, as it is before anything is signed with it: pure. */
import type { Problem } from '../api/problem.ts';
import { createPublicKey } from 'node:crypto';
import { describeCertificate, publicKeyHash, type CertificateInfo } from './certificate-info.ts';
import { readPrivateKey, splitCertificates } from './pem.ts';
import { canSign } from './x509.ts';

/** What `spec.customCertificate.apiServerCACert` leads to. */
export interface CustomAuthority {
  /** `namespace/name` of the Secret */
  readonly secret: string;
  /** PEM; absent when there is no such Secret */
  readonly files?: CustomAuthorityFiles;
  /** Why it may not be used */
  readonly refusal?: Problem;
}

export interface CustomAuthorityFiles {
  /** `tls.crt`: the authority, and the certificates of those above it */
  readonly bundle: string;
  /** `tls.key` */
  readonly key: string;
}

/** @returns why it cannot sign, to be read after the name of its Secret; undefined when it can */
export function faultOf({ files }: CustomAuthority, now: Date): string | undefined {
  if (files === undefined) return 'does not exist';
  const certificates = splitCertificates(files.bundle).map(describeCertificate);
  const readable = certificates.filter((info) => info !== undefined);
  if (readable.length === 0) return 'has no certificate in tls.crt that can be read as PEM';
  if (readable.length < certificates.length) return 'has a certificate in tls.crt that is broken';
  const key = readPrivateKey(files.key);
  if (key === undefined) return 'has no private key in tls.key that can be read as PEM';
  if (!canSign(key))
    return 'has a private key in tls.key that is neither RSA nor EC on P-256, P-384 or P-521';
  const hash = publicKeyHash(createPublicKey(key));
  const own = readable.find(({ publicKey }) => publicKey === hash);
  if (own === undefined)
    return 'has a private key in tls.key that belongs to no certificate in tls.crt';
  return faultOfCertificate(own, now);
}

function faultOfCertificate(own: CertificateInfo, now: Date): string | undefined {
  const { isAuthority, notBefore, notAfter } = own;
  if (!isAuthority) return 'has a certificate in tls.crt that is not one of a CA';
  if (notAfter <= now)
    return `has a CA certificate in tls.crt that expired at ${notAfter.toISOString()}`;
  if (notBefore > now)
    return `has a CA certificate in tls.crt that is not valid before ${notBefore.toISOString()}`;
  return undefined;
}
