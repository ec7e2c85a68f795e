/** Describes a Secret without its values. Pure. */
import type { Secret } from '../../../kubernetes/objects/kinds.ts';
import { describeCertificate } from '../../../pki/certificate-info.ts';
import { certificateBlocks } from '../../../untrusted/pem.ts';

/** Most certificates of an entry that are described. A bundle of public CAs has more. */
const MAX_CERTIFICATES = 10;

/** Returns name, type, and for each entry its size and the public part of its certificates. */
export function describeSecret(secret: Secret): object {
  const { name, namespace, creationTimestamp, uid, ownerReferences } = secret.metadata;
  const data = secret.data ?? {};
  return {
    metadata: { name, namespace, uid, creationTimestamp, ownerReferences },
    type: secret['type'],
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, entryOf(value)])),
  };
}

function entryOf(encoded: string): object {
  const bytes = Buffer.from(encoded, 'base64');
  const blocks = certificateBlocks(bytes.toString('latin1'));
  const certificates = blocks.slice(0, MAX_CERTIFICATES).map(certificateOf);
  return { bytes: bytes.length, ...(certificates.length > 0 && { certificates }) };
}

function certificateOf(pem: string): object {
  const info = describeCertificate(pem);
  if (info === undefined) return { unreadable: true };
  const { commonName, organizations, issuer, dns, ips, notBefore, notAfter, isAuthority } = info;
  return {
    subject: [`CN=${commonName}`, ...organizations.map((value) => `O=${value}`)].join(','),
    issuer,
    sans: [...dns, ...ips],
    notBefore: notBefore.toISOString(),
    notAfter: notAfter.toISOString(),
    isCA: isAuthority,
  };
}
