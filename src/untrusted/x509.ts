/** Reads single certificates and private keys within limits. */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { RSA_BITS, UNTRUSTED } from './limits.ts';
import { pemBlocks } from './pem.ts';

/** Reads a certificate. @param encoded PEM or DER @returns undefined if it is unreadable or above the limit */
export function readCertificate(encoded: string | Uint8Array): X509Certificate | undefined {
  if (encoded.length > UNTRUSTED.pem) return undefined;
  try {
    return new X509Certificate(encoded);
  } catch {
    return undefined;
  }
}

/**
 * Reads a private key.
 * @param mostBits of an RSA key
 * @returns undefined if the text is not a private key, is encrypted, above a limit, or of a type that no signature needs
 */
export function readPrivateKey(
  pem: string,
  mostBits: number = RSA_BITS.client,
): KeyObject | undefined {
  if (pem.length > UNTRUSTED.privateKey) return undefined;
  try {
    const key = createPrivateKey(pem);
    return signsInTime(key, mostBits) ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Larger exponents, which Go rejects, take the time of another signature. */
const LARGEST_EXPONENT = 2n ** 31n - 1n;

const OTHER_TYPES: ReadonlySet<string | undefined> = new Set(['ec', 'ed25519', 'ed448']);

function signsInTime(
  { asymmetricKeyType: type, asymmetricKeyDetails: details = {} }: KeyObject,
  mostBits: number,
): boolean {
  if (type !== 'rsa' && type !== 'rsa-pss') return OTHER_TYPES.has(type);
  const { modulusLength = Infinity, publicExponent = 0n } = details;
  return modulusLength <= mostBits && publicExponent <= LARGEST_EXPONENT;
}

/** First private key of a file. OpenSSL may write EC parameters before it. Empty if there is none. */
export const privateKeyBlock = (pem: string): string =>
  pemBlocks(pem).find(({ label }) => /^(?:[A-Z0-9]+ )*PRIVATE KEY$/.test(label))?.text ?? '';

/**
 * Returns the private key of a TLS client as PEM, encoded anew: OpenSSL may read another key of the same text than the one that was checked.
 * @throws Error if it is unreadable or above a limit
 */
export function clientKeyPem(pem: string): string {
  const key = readPrivateKey(privateKeyBlock(pem));
  if (key === undefined) throw new Error(`the client certificate has ${noKeyText()}`);
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** What a text without a usable private key has, for messages. @param mostBits of an RSA key */
export const noKeyText = (mostBits: number = RSA_BITS.client): string =>
  `no readable PEM private key, or an RSA key with more than ${mostBits} bits`;
