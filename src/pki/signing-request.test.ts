import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { pemBlocks } from '../untrusted/pem.ts';
import { children, contents, decode, encode } from './asn1.ts';
import { makeKey } from './keys.ts';
import { signingRequest } from './signing-request.ts';

describe('signingRequest', () => {
  it('names the subject and the public key, and is signed by the private key', async () => {
    const key = await makeKey('ec-p256');
    const [block] = pemBlocks(await signingRequest('someone', key));
    expect(block?.label).toBe('CERTIFICATE REQUEST');
    const body = block?.text.replaceAll(/-----[^-]+-----/g, '') ?? '';
    const [info, , signature] = children(decode(Buffer.from(body, 'base64')));
    if (info === undefined) throw new Error('no content');
    const [version, subject, spki, attributes] = children(info).map(encode);
    expect(version).toEqual(Buffer.from([2, 1, 0]));
    expect(subject?.includes('someone')).toBe(true);
    const publicKey = createPublicKey(key);
    expect(spki).toEqual(publicKey.export({ type: 'spki', format: 'der' }));
    // [0] IMPLICIT SET OF without elements, which must be there.
    expect(attributes).toEqual(Buffer.from([0xa0, 0]));
    expect(verify('sha256', encode(info), publicKey, contents(signature).subarray(1))).toBe(true);
  });
});
