import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  connect,
  createServer,
  createSecureContext,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { expect, it } from '@jest/globals';
import { newPair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { TlsContext } from './tls-context.ts';

/** What becomes of a connection when its server asks for another handshake. */
async function renegotiation(socket: TLSSocket): Promise<string> {
  const failed = new Promise<string>((resolve) => {
    socket.once('error', () => resolve('refused')).once('close', () => resolve('refused'));
  });
  const done = new Promise<string>((resolve) => {
    socket.renegotiate({}, (error) => resolve(error === null ? 'renegotiated' : 'refused'));
  });
  return Promise.race([failed, done]);
}

it('refuses another handshake on the same connection', async () => {
  const pair = await newPair({ commonName: 'server' }, await newPair({ commonName: 'CA' }));
  const server = createServer({ ...pair, maxVersion: 'TLSv1.2' }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'secureConnection') as Promise<[TLSSocket]>;
  const { port } = server.address() as AddressInfo;
  const secureContext = new TlsContext({}).get();
  const client = connect({ host: '127.0.0.1', port, secureContext, rejectUnauthorized: false });
  client.on('error', () => undefined).resume();
  const [socket] = await accepted;
  expect(await renegotiation(socket)).toBe('refused');
  client.destroy();
  socket.destroy();
  server.close();
});

it.each<[string, string, SecureContext]>([
  ['fails', 'this context', new TlsContext({}).get()],
  ['succeeds', 'the default of Node.js', createSecureContext()],
])('%s to connect to a server that has only DHE with %s', async (expected, _, secureContext) => {
  const pair = await newPair({ commonName: 'server' }, await newPair({ commonName: 'CA' }));
  const dhe = { ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' };
  const server = createServer({ ...pair, ...dhe, maxVersion: 'TLSv1.2' }).listen(0, '127.0.0.1');
  server.on('tlsClientError', () => undefined);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ host: '127.0.0.1', port, secureContext, rejectUnauthorized: false });
  const outcome = await new Promise<string>((resolve) => {
    client.once('secureConnect', () => resolve('succeeds')).once('error', () => resolve('fails'));
  });
  client.destroy();
  server.close();
  expect(outcome).toBe(expected);
});
