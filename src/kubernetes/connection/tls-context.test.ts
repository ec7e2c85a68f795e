import { randomBytes } from 'node:crypto';
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
import { makeKey } from '../../pki/keys.ts';
import { selfSigned, signedBy } from '../../pki/x509.ts';
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

it.each<[string, 'root' | 'intermediate', string]>([
  ['trusts', 'intermediate', 'trusted'],
  ['does not trust', 'root', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
])(
  '%s a server below an intermediate CA with only the %s CA, as Go does',
  async (_, name, result) => {
    const context = { now: new Date(), random: randomBytes };
    const key = (): ReturnType<typeof makeKey> => makeKey('ec-p256');
    const root = await selfSigned('Root', await key(), context);
    const subject = { commonName: 'Intermediate' };
    const intermediate = await signedBy(root, { subject, validityDays: 90 }, await key(), context);
    const server = {
      subject: { commonName: 'server' },
      validityDays: 1,
      leaf: { usages: ['serverAuth' as const], dns: ['localhost'], ips: [] },
    };
    const pair = await signedBy(intermediate, server, await key(), context);
    const listener = createServer({ cert: pair.certificate, key: pair.key }).listen(0, '127.0.0.1');
    listener.on('tlsClientError', () => undefined);
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const ca = { root, intermediate }[name].certificate;
    const secureContext = new TlsContext({ ca }).get();
    const client = connect({ host: '127.0.0.1', port, servername: 'localhost', secureContext });
    const outcome = await new Promise<unknown>((resolve) => {
      client
        .once('secureConnect', () => resolve('trusted'))
        .once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    });
    client.destroy();
    listener.close();
    expect(outcome).toBe(result);
  },
);
