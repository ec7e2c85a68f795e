import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { rsaKey } from './__fixtures__/rsa-key.ts';
import { RSA_BITS } from './limits.ts';
import { clientKeyPem, privateKeyBlock, readPrivateKey } from './x509.ts';

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

const small = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);

describe('readPrivateKey', () => {
  it('reads RSA keys up to a length, because the time of a signature grows with its cube', () => {
    const { client, authority } = RSA_BITS;
    expect(readPrivateKey(rsaKey(client))?.asymmetricKeyType).toBe('rsa');
    expect(readPrivateKey(rsaKey(client + 8))).toBeUndefined();
    expect(readPrivateKey(rsaKey(authority), authority)?.asymmetricKeyType).toBe('rsa');
    expect(readPrivateKey(rsaKey(authority + 8), authority)).toBeUndefined();
    expect(readPrivateKey(rsaKey(65_536), authority)).toBeUndefined();
  });

  it('reads no RSA key with a large public exponent', () => {
    expect(readPrivateKey(rsaKey(2_048, 2_048))).toBeUndefined();
  });

  it.each([
    ['EC', small, 'ec'],
    ['Ed25519', pemOf(generateKeyPairSync('ed25519').privateKey), 'ed25519'],
    ['X25519, which signs nothing', pemOf(generateKeyPairSync('x25519').privateKey), undefined],
  ])('reads %s', (_, pem, type) => {
    expect(readPrivateKey(pem)?.asymmetricKeyType).toBe(type);
  });
});

describe('clientKeyPem', () => {
  it('returns the key that was checked, however the file looks', () => {
    const parameters =
      '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
    const large = rsaKey(RSA_BITS.client + 8);
    // OpenSSL reads only blocks that begin a line, and so the second one.
    for (const text of [small, parameters + small, `text ${small}${large}`])
      expect(clientKeyPem(text)).toBe(small);
    expect(privateKeyBlock(large + small)).toBe(large);
  });

  it.each([
    ['a large RSA key', rsaKey(RSA_BITS.client + 8)],
    ['no key', 'x'],
  ])('rejects %s', (_, pem) => {
    const limit = 'no readable PEM private key, or an RSA key with more than 4096 bits';
    expect(() => clientKeyPem(pem)).toThrow(limit);
  });
});
