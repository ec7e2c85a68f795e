/** RSA keys of any length. A real one with 16,384 bits would take a minute. */
import { createPrivateKey, randomBytes } from 'node:crypto';
import forge from 'node-forge';

/** An odd random number of this length. */
function odd(bits: number): forge.jsbn.BigInteger {
  const bytes = randomBytes(bits / 8);
  bytes.writeUInt8(bytes.readUInt8(0) | 0xc0, 0);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) | 1, bytes.length - 1);
  return new forge.jsbn.BigInteger(bytes.toString('hex'), 16);
}

/**
 * Returns a key that OpenSSL reads, and with which a signature takes as long as possible: it has no primes.
 * @param bits a multiple of 8
 * @param exponentBits length of the public exponent, 65537 by default
 * @returns PKCS#8 in PEM
 */
export function rsaKey(bits: number, exponentBits?: number): string {
  const { BigInteger } = forge.jsbn;
  const exponent = exponentBits === undefined ? new BigInteger('10001', 16) : odd(exponentBits);
  const [p, q, dp, dq, qi] = [odd(1_024), odd(1_024), odd(1_024), odd(1_024), odd(1_024)];
  const key = forge.pki.setRsaPrivateKey(odd(bits), exponent, odd(bits), p, q, dp, dq, qi);
  const pem = forge.pki.privateKeyInfoToPem(
    forge.pki.wrapRsaPrivateKey(forge.pki.privateKeyToAsn1(key)),
  );
  return createPrivateKey(pem).export({ type: 'pkcs8', format: 'pem' }).toString();
}
