/** Creates certificate signing requests (PKCS #10, RFC 2986). */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { bits, decode, emptySet, encode, integer, sequence } from './asn1.ts';
import { requestPem } from './pem.ts';
import { distinguishedName, signatureScheme, signBytes } from './x509.ts';

/**
 * Creates a request without extensions: the signer decides about them.
 * @param key private key of the certificate
 * @returns PEM
 */
export async function signingRequest(commonName: string, key: KeyObject): Promise<string> {
  const scheme = signatureScheme(key);
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const info = sequence(
    integer(Uint8Array.of(0)),
    distinguishedName({ commonName }),
    decode(spki),
    emptySet(0),
  );
  const signature = await signBytes(scheme.digest, encode(info), key);
  return requestPem(encode(sequence(info, scheme.identifier, bits(signature))));
}
