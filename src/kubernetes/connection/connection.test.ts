import { describe, expect, it } from '@jest/globals';
import { rsaKey } from '../../untrusted/__fixtures__/rsa-key.ts';
import { RSA_BITS } from '../../untrusted/limits.ts';
import { explicitEndpoint } from './connection.ts';

describe('explicitEndpoint', () => {
  it('rejects a key with which each connection would take long, whoever has checked it before', () => {
    const access = { server: 'https://host', certData: '', keyData: rsaKey(RSA_BITS.client + 8) };
    expect(() => explicitEndpoint(access)).toThrow('an RSA key with more than 4096 bits');
  });
});
