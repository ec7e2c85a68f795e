/** Leaf certificates with which the operator asks servers whether they accept a CA. They allow nothing else. */
import { certificateBlocks } from '../untrusted/pem.ts';
import { describeCertificate, identifyCertificate, isSignedBy } from './certificate-info.ts';
import type { Issuance } from './keys.ts';
import type { AuthorityName, KeyPair } from './types.ts';
import { signedBy } from './x509.ts';

/** User of these certificates, who has no permission. */
export const PROBE_USER = 'karmada-operator-rotation';

/** API servers accept the headers of a front proxy only from this name (`--requestheader-allowed-names`). */
const FRONT_PROXY = 'front-proxy-client';

/** As long as a CA: it is the proof that a server refuses its CA, which an expired certificate is not. */
const VALIDITY_DAYS = 3650;

/**
 * Issues such a certificate, followed by that of its CA: later, no bundle contains the CA.
 * @param authority CA that signs it
 * @throws Error if the CA cannot sign
 */
export async function issueProbe(
  name: AuthorityName,
  authority: KeyPair,
  issuance: Issuance,
): Promise<KeyPair> {
  const commonName = name === 'front-proxy-ca' ? FRONT_PROXY : PROBE_USER;
  const leaf = { usages: ['clientAuth' as const], dns: [], ips: [] };
  const certified = { subject: { commonName }, validityDays: VALIDITY_DAYS, leaf };
  const key = await issuance.keys.generate('ec-p256');
  const issued = await signedBy(authority, certified, key, issuance);
  return { ...issued, certificate: `${issued.certificate}${authority.certificate}` };
}

/** Returns the CA of such a certificate, as SHA-256. @returns undefined if it has expired, or is not one of its CA */
export function probedRoot({ certificate }: KeyPair, now: Date): string | undefined {
  const [leaf, authority] = certificateBlocks(certificate);
  if (leaf === undefined || authority === undefined || !isSignedBy(leaf, authority))
    return undefined;
  const isValid = (describeCertificate(leaf)?.notAfter ?? now) > now;
  return isValid ? identifyCertificate(authority)?.sha256 : undefined;
}
