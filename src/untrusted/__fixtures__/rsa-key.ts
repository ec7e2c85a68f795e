/** RSA keys of any length. A real one with 16,384 bits would take a minute. */
import { createPrivateKey, randomBytes } from 'node:crypto';

/** An odd random number in the encoding of JWK. */
export function odd(bits: number): string {
  const bytes = randomBytes(bits / 8);
  bytes.writeUInt8(bytes.readUInt8(0) | 0xc0, 0);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) | 1, bytes.length - 1);
  return bytes.toString('base64url');
}

/**
 * Returns a key that OpenSSL reads, and with which a signature takes as long as possible: it has no primes.
 * @param bits a multiple of 8
 * @param exponent public exponent in the encoding of JWK
 * @returns PKCS#8 in PEM
 */
export function rsaKey(bits: number, exponent = 'AQAB'): string {
  const [p, q, dp, dq, qi] = [odd(1_024), odd(1_024), odd(1_024), odd(1_024), odd(1_024)];
  const numbers = { n: odd(bits), e: exponent, d: odd(bits), p, q, dp, dq, qi };
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'RSA', ...numbers } });
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
