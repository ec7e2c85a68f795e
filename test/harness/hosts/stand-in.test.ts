import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { manualClock, settle } from '../../../src/kubernetes/time/clock.fixture.ts';
import { createClient } from '../../../src/kubernetes/client/client.ts';
import { explicitEndpoint } from '../../../src/kubernetes/connection/connection.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { newPair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { followCalls } from './calls-under-way.ts';
import { startStandIn, type HostStandIn, type Mode } from './stand-in.ts';

/** Path for which the host cluster sends no response in one of the tests. */
const HELD = '/held';

describe('host cluster stand-in', () => {
  const server = createServer();
  const calls = followCalls();
  const clock = manualClock();
  let host: HostStandIn;
  let ca: string;

  beforeAll(async () => {
    const authority = await newPair({ commonName: 'ca' });
    ca = authority.cert;
    const tls = await newPair({ commonName: 'host', hosts: ['127.0.0.1'] }, authority);
    server.setSecureContext(tls);
    server.on('request', (_, response) => void response.end('{}'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    host = await startStandIn(tls, { host: '127.0.0.1', port, ca });
  });

  afterAll(async () => {
    await host.close();
    server.close();
    calls.close();
  });

  /** Sends a call with its own client. @returns HTTP status or error code */
  async function call(path: string): Promise<string> {
    const client = createClient(explicitEndpoint({ server: host.url, caData: ca }), { clock });
    const answer = client.raw(path, { timeoutMs: 1_000 }).then(
      ({ status }) => String(status),
      (error: Error & { code?: string }) => String(error.code),
    );
    let ended = false;
    void answer.then(() => (ended = true));
    await poll('the call is active or has ended', () =>
      Promise.resolve(ended || calls.to(host.url).length > 0 ? true : undefined),
    );
    if (path === HELD)
      await poll('the host cluster holds the call', () =>
        Promise.resolve(host.held().length > 0 ? true : undefined),
      );
    if (path !== '/') await clock.advance(1_000);
    const result = await answer;
    await client.close();
    await settle();
    return result;
  }

  it.each<[Mode, string, string]>([
    ['well', '/', '200'],
    ['mute', '/silent', 'TIMEOUT'],
    ['cutting', '/', 'ECONNRESET'],
    ['hole', '/silent', 'TIMEOUT'],
    ['refusing', '/', 'ECONNREFUSED'],
    ['hole', '/silent', 'TIMEOUT'],
    ['well', '/', '200'],
  ])('in mode %s gives the path %s the result %s', async (mode, path, expected) => {
    await host.turn(mode);
    expect(await call(path)).toBe(expected);
  });

  it('responds to all calls but the held ones when calls are held', async () => {
    host.hold(({ what }) => what.endsWith(HELD));
    expect(await call(HELD)).toBe('TIMEOUT');
    expect(await call('/')).toBe('200');
    expect(host.held()).toEqual(['host GET /held']);
  });
});
