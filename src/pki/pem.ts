/** PEM text (RFC 7468) and private keys as upstream's files hold them. */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;
const PUBLIC_KEY = /-----BEGIN PUBLIC KEY-----[\s\S]*?-----END PUBLIC KEY-----/g;

/** @returns a certificate as PEM, with lines of 64 characters and a final newline */
export function certificatePem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** The certificates of a PEM file, each with a final newline; text between them is left out. */
export const splitCertificates = (pem: string): readonly string[] =>
  (pem.match(CERTIFICATE) ?? []).map((block) => `${block}\n`);

/** The public keys of a PEM file, each with a final newline. */
export const splitPublicKeys = (pem: string): readonly string[] =>
  (pem.match(PUBLIC_KEY) ?? []).map((block) => `${block}\n`);

/** `RSA PRIVATE KEY` (PKCS#1) or `EC PRIVATE KEY` (SEC 1), the types upstream writes and reads. */
export function privateKeyPem(key: KeyObject): string {
  const type = key.asymmetricKeyType === 'rsa' ? 'pkcs1' : 'sec1';
  return key.export({ type, format: 'pem' }).toString();
}

/** `PUBLIC KEY` (SubjectPublicKeyInfo) of a private key. */
export const publicKeyPem = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();

/** @returns the private key, or undefined when the text is none or is encrypted */
export function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
