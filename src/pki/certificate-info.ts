/** Reads the public information about certificates. */
import { createHash, createPublicKey } from 'node:crypto';
import type { KeyObject, X509Certificate } from 'node:crypto';
import { readCertificate, readPrivateKey } from '../untrusted/x509.ts';
import { OID } from './oids.ts';
import type {
  CertificateIdentity,
  CertificateInfo,
  ExtendedUsage,
  PairInfo,
} from './public-info.ts';
import { readStructure } from './structure.ts';
import type { KeyPair } from './types.ts';

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
    const usages: readonly string[] | undefined = certificate.keyUsage;
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
      ...identityOf(certificate),
    };
  } catch {
    return undefined;
  }
}

/** Reads only what a trusted certificate is known by. @param pem one certificate @returns undefined if it is unreadable */
export function identifyCertificate(pem: string): CertificateIdentity | undefined {
  try {
    const certificate = readCertificate(pem);
    return certificate && identityOf(certificate);
  } catch {
    return undefined;
  }
}

const identityOf = (certificate: X509Certificate): CertificateIdentity => ({
  sha256: fingerprint(certificate),
  publicKey: publicKeyHash(certificate.publicKey),
});

const fingerprint = ({ raw }: X509Certificate): string =>
  createHash('sha256').update(raw).digest('hex');

/** Returns the SHA-256 of a public key, hex. Equal keys have equal hashes. */
export function publicKeyHash(key: KeyObject): string {
  const spki = key.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('hex');
}

/** Describes a pair. @param authority PEM certificate of the CA that may have signed the certificate */
export function describePair(pair: KeyPair, authority: string | undefined): PairInfo {
  const certificate = describeCertificate(pair.certificate);
  if (certificate === undefined) return { keyMatches: false };
  const key = readPrivateKey(pair.key);
  const keyMatches =
    key !== undefined && publicKeyHash(createPublicKey(key)) === certificate.publicKey;
  const signer = authority === undefined ? undefined : signerOf(pair.certificate, authority);
  return { certificate, keyMatches, ...(signer === undefined ? {} : { signer }) };
}

/** Returns whether issuer name and signature of the certificate match the CA. */
export const isSignedBy = (certificate: string, authority: string): boolean =>
  signerOf(certificate, authority) !== undefined;

/** Returns the SHA-256 of the CA if issuer name and signature of the certificate match it. */
function signerOf(certificate: string, authority: string): string | undefined {
  try {
    const issuer = readCertificate(authority);
    const issued = readCertificate(certificate);
    if (issuer === undefined || issued === undefined) return undefined;
    const isSigned = issued.checkIssued(issuer) && issued.verify(issuer.publicKey);
    return isSigned ? fingerprint(issuer) : undefined;
  } catch {
    return undefined;
  }
}
