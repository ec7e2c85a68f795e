/** Reads single certificates and private keys within limits. */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { UNTRUSTED } from './limits.ts';

/** Reads a certificate. @param encoded PEM or DER @returns undefined if it is unreadable or above the limit */
export function readCertificate(encoded: string | Uint8Array): X509Certificate | undefined {
  if (encoded.length > UNTRUSTED.pem) return undefined;
  try {
    return new X509Certificate(encoded);
  } catch {
    return undefined;
  }
}

/** Reads a private key. @returns undefined if the text is not a private key, is encrypted, or above the limit */
export function readPrivateKey(pem: string): KeyObject | undefined {
  if (pem.length > UNTRUSTED.privateKey) return undefined;
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
