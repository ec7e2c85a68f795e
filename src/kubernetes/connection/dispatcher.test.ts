import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { newPair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { newDispatcher } from './dispatcher.ts';
import { TlsContext } from './tls-context.ts';

let server: Server;
let url: string;
let ca: string;

beforeAll(async () => {
  const authority = await newPair({ commonName: 'CA' });
  ca = authority.cert;
  const hosts = ['127.0.0.1', 'server.test'];
  const pair = await newPair({ commonName: 'server', hosts }, authority);
  server = createServer(pair, (_, response) => response.end()).listen(0, '127.0.0.2');
  await once(server, 'listening');
  url = `https://127.0.0.2:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.close();
  await once(server, 'close');
});

describe('server name of TLS', () => {
  it.each([
    ['an address of the certificate', '127.0.0.1', 200],
    ['a name of the certificate', 'server.test', 200],
    ['another address', '127.0.0.3', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['another name', 'other.test', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['none, and another host', undefined, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('%s', async (_, serverName, expected) => {
    const credentials = { ca, headers: {}, ...(serverName !== undefined && { serverName }) };
    const dispatcher = newDispatcher({ server: url }, credentials);
    const outcome = await request(url, { dispatcher }).then(
      ({ statusCode }) => statusCode,
      (error: unknown) => (error as { code?: string }).code,
    );
    await dispatcher.close();
    expect(outcome).toBe(expected);
  });
});

describe('TLS context', () => {
  it('is one for all dispatchers with the same credentials, and verifies the server', async () => {
    const context = new TlsContext({ ca });
    const contexts = [context.get()];
    const get = context.get.bind(context);
    context.get = () => {
      contexts.push(get());
      return get();
    };
    // The CA is only in the context, so a dispatcher that creates one of its own does not trust the server.
    const credentials = { headers: {}, serverName: 'server.test' };
    for (let time = 0; time < 2; time += 1) {
      const dispatcher = newDispatcher({ server: url }, credentials, context);
      const { statusCode, body } = await request(url, { dispatcher });
      await body.dump();
      await dispatcher.close();
      expect(statusCode).toBe(200);
    }
    expect(contexts).toHaveLength(3);
    expect(new Set(contexts).size).toBe(1);
  });

  it.each<[string, () => string | undefined, unknown]>([
    ['trusts the CA', () => ca, 200],
    ['does not trust another CA', () => undefined, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ])('%s of the credentials on the stream of a route', async (_, trusted, expected) => {
    const trust = trusted();
    const { port } = server.address() as AddressInfo;
    const route = (): Promise<Duplex> => Promise.resolve(connect(port, '127.0.0.2'));
    const credentials = {
      headers: {},
      serverName: 'server.test',
      ...(trust !== undefined && { ca: trust }),
    };
    const dispatcher = newDispatcher({ server: url, route }, credentials);
    const outcome = await request(url, { dispatcher }).then(
      ({ statusCode }) => statusCode,
      (error: unknown) => (error as { code?: string }).code,
    );
    await dispatcher.close();
    expect(outcome).toBe(expected);
  });
});
