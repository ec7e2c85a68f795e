/** Public information about certificates, the only part that caches, plans, status and messages contain. */
import { createHash, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readCertificate, readPrivateKey } from '../untrusted/x509.ts';
import { OID } from './oids.ts';
import type { ExtendedUsage } from './specs.ts';
import { readStructure } from './structure.ts';
import type { KeyPair } from './types.ts';

export interface CertificateInfo {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** one line in the OpenSSL notation */
  readonly issuer: string;
  /** hex */
  readonly serial: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** lower case, sorted */
  readonly dns: readonly string[];
  /** canonical text, sorted */
  readonly ips: readonly string[];
  readonly usages: readonly ExtendedUsage[];
  readonly isAuthority: boolean;
  /** SHA-256 of the certificate, hex */
  readonly sha256: string;
  /** SHA-256 of the public key (SubjectPublicKeyInfo), hex */
  readonly publicKey: string;
}

/** Public information about a certificate and its private key. */
export interface PairInfo {
  /** absent if the certificate is unreadable */
  readonly certificate?: CertificateInfo;
  readonly keyMatches: boolean;
  /** `sha256` of the CA in the bundle that has signed it, after signature verification */
  readonly signer?: string;
}

const USAGES: readonly ExtendedUsage[] = ['serverAuth', 'clientAuth'];

/**
 * Parses a certificate.
 * @param pem one certificate
 * @returns undefined if it is unreadable
 */
export function describeCertificate(pem: string): CertificateInfo | undefined {
  const certificate = readCertificate(pem);
  if (certificate === undefined) return undefined;
  try {
    const { commonName, organizations, dns, ips } = readStructure(certificate.raw);
    // `keyUsage` of Node.js contains the identifiers of the extended key usage.
    const usages = certificate.keyUsage as readonly string[] | undefined;
    return {
      commonName,
      organizations,
      issuer: certificate.issuer.replaceAll('\n', ', '),
      serial: certificate.serialNumber.toLowerCase(),
      notBefore: certificate.validFromDate,
      notAfter: certificate.validToDate,
      dns,
      ips,
      usages: USAGES.filter((usage) => usages?.includes(OID[usage])),
      isAuthority: certificate.ca,
      sha256: createHash('sha256').update(certificate.raw).digest('hex'),
      publicKey: publicKeyHash(certificate.publicKey),
    };
  } catch {
    return undefined;
  }
}

/** Returns the SHA-256 of a public key, hex. Equal keys have equal hashes. */
export function publicKeyHash(key: KeyObject): string {
  const spki = key.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('hex');
}

/** Describes a pair. @param authorities PEM certificates of the CAs that may have signed the certificate */
export function describePair(pair: KeyPair, authorities: readonly string[]): PairInfo {
  const certificate = describeCertificate(pair.certificate);
  if (certificate === undefined) return { keyMatches: false };
  const key = readPrivateKey(pair.key);
  const keyMatches =
    key !== undefined && publicKeyHash(createPublicKey(key)) === certificate.publicKey;
  const signer = authorities.find((authority) => isSignedBy(pair.certificate, authority));
  const sha256 = signer === undefined ? undefined : describeCertificate(signer)?.sha256;
  return { certificate, keyMatches, ...(sha256 === undefined ? {} : { signer: sha256 }) };
}

/** Returns whether issuer name and signature of the certificate match the CA. */
function isSignedBy(certificate: string, authority: string): boolean {
  try {
    const issuer = readCertificate(authority);
    const issued = readCertificate(certificate);
    if (issuer === undefined || issued === undefined) return false;
    return issued.checkIssued(issuer) && issued.verify(issuer.publicKey);
  } catch {
    return false;
  }
}
