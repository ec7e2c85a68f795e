/** Writes PEM (RFC 7468), with the private key types of the upstream operator. */
import { createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { pemBlocks } from '../untrusted/pem.ts';

/** Encodes DER as PEM, with lines of 64 characters and a final newline. */
function pemOf(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

export const certificatePem = (der: Uint8Array): string => pemOf('CERTIFICATE', der);

/** Encodes a certificate signing request. */
export const requestPem = (der: Uint8Array): string => pemOf('CERTIFICATE REQUEST', der);

/** Returns the public keys of a PEM file, each with a final newline. */
export const splitPublicKeys = (pem: string): readonly string[] =>
  pemBlocks(pem).flatMap((block) => (block.label === 'PUBLIC KEY' ? [block.text] : []));

/** Encodes a key as `RSA PRIVATE KEY` (PKCS#1) or `EC PRIVATE KEY` (SEC 1), like the upstream operator. */
export function privateKeyPem(key: KeyObject): string {
  const type = key.asymmetricKeyType === 'rsa' ? 'pkcs1' : 'sec1';
  return key.export({ type, format: 'pem' }).toString();
}

/** Encodes the public key of a private key as `PUBLIC KEY` (SubjectPublicKeyInfo). */
export const publicKeyPem = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
