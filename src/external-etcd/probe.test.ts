import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { manualClock } from '../kubernetes/time/clock.fixture.ts';
import { makeKey } from '../pki/keys.ts';
import { selfSigned, signedBy } from '../pki/x509.ts';
import { clientContext, NO_TURN, probeEndpoint } from './probe.ts';

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

describe('probeEndpoint', () => {
  it.each([
    [
      'evaluates the response when turns wait longer than the etcd member may take',
      5_000,
      'NO_GRPC',
    ],
    ['reports that it got no turn when a turn waits longer than its limit', 61_000, NO_TURN],
  ])('%s', async (_, waitMs, code) => {
    const context = { now: new Date(), random: randomBytes };
    const authority = await selfSigned('CA', await makeKey('ec-p256'), context);
    const leaf = { usages: ['serverAuth', 'clientAuth'], dns: [], ips: ['127.0.0.1'] } as const;
    const { certificate: cert, key } = await signedBy(
      authority,
      { subject: { commonName: 'etcd' }, validityDays: 1, leaf },
      await makeKey('ec-p256'),
      context,
    );
    const server = createSecureServer({ cert, key }, (__, response) => response.end('x'));
    server.on('sessionError', () => undefined);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const clock = manualClock();
    const inTurn = async (work: () => void, signal: AbortSignal): Promise<void> => {
      await clock.advance(waitMs);
      signal.throwIfAborted();
      work();
    };
    const host = '127.0.0.1';
    const endpoint = { text: host, tls: true, host, port, names: [host], inTurn };
    const credentials = { 'ca.crt': authority.certificate, 'tls.crt': cert, 'tls.key': key };
    const { signal } = new AbortController();
    try {
      const found = await probeEndpoint(endpoint, clientContext(credentials), signal, { clock });
      expect([found.health, clock.pending()]).toEqual([expect.objectContaining({ code }), 0]);
    } finally {
      server.close();
    }
  });
});
