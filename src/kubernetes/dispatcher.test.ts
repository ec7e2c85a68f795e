import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { newPair } from '../../tools/embedded-cluster/certificate-pair.ts';
import { newDispatcher } from './dispatcher.ts';

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
