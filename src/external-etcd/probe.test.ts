import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { makeKey } from '../pki/keys.ts';
import { selfSigned } from '../pki/x509.ts';
import { clientContext } from './probe.ts';

describe('clientContext', () => {
  it('creates one context for all etcd members', async () => {
    const now = new Date('2026-11-21T12:00:00Z');
    const pair = await selfSigned('CA', await makeKey('ec-p256'), { now, random: randomBytes });
    const { certificate, key } = pair;
    const context = clientContext({
      'ca.crt': certificate,
      'tls.crt': certificate,
      'tls.key': key,
    });
    expect(await context()).toBe(await context());
  });

  it('tries only once', async () => {
    const context = clientContext({ 'ca.crt': '', 'tls.crt': '', 'tls.key': 'x' });
    const errors = await Promise.all([0, 1].map(() => context().catch((error: unknown) => error)));
    expect(errors[0]).toBeInstanceOf(Error);
    expect(errors[1]).toBe(errors[0]);
  });
});
