import { describe, expect, it } from '@jest/globals';
import { rsaKey } from '../untrusted/__fixtures__/rsa-key.ts';
import { RSA_BITS } from '../untrusted/limits.ts';
import { secureContextOf } from './dial.ts';

describe('secureContextOf', () => {
  it('rejects a key with which each connection would take long, whoever has checked it before', () => {
    const pair = { ca: '', certificate: '', key: rsaKey(RSA_BITS.client + 8) };
    expect(() => secureContextOf(pair)).toThrow('an RSA key with more than 4096 bits');
  });
});
