import { once } from 'node:events';
import { anyClient } from '../../kubernetes/client/any-client.fixture.ts';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newPair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { COMPONENT } from '../../api/labels.ts';
import { podDialer } from './tunnel.ts';
import {
  frame,
  upgradeResponse,
  WHOLE_MESSAGE,
} from '../../kubernetes/client/websocket.fixture.ts';

const MIB = 2 ** 20;
/** Of each connection: less than the limit of one. Three exceed that of all. */
const SENT = 12 * MIB;

/** Opens a port-forward, and sends data on channel 0. */
function upgrade(socket: TLSSocket): void {
  socket.on('error', () => undefined);
  socket.once('data', (request: Buffer) => {
    socket.write(upgradeResponse(request));
    socket.write(frame(WHOLE_MESSAGE, Buffer.of(0, 0xcb, 0x14)));
    const piece = frame(WHOLE_MESSAGE, Buffer.alloc(2 ** 16));
    for (let sent = 0; sent < SENT; sent += 2 ** 16) socket.write(piece);
  });
}

let server: Server;

beforeAll(async () => {
  const pair = await newPair(
    { commonName: 'server', hosts: ['127.0.0.1'] },
    await newPair({ commonName: 'CA' }),
  );
  server = createServer(pair, upgrade).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(async () => {
  server.close();
  await once(server, 'close');
});

it('podDialer limits the bytes of all connections together that nobody reads', async () => {
  const labels = { [COMPONENT]: 'karmada-apiserver' };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'pod', labels } };
  const dial = podDialer({
    endpoint: {
      server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      credentials: () => Promise.resolve({ headers: {}, insecureSkipTlsVerify: true }),
    },
    client: anyClient({ list: () => Promise.resolve({ resourceVersion: '1', items: [pod] }) }),
    name: 'demo',
    namespace: 'team',
    podPort: 5443,
  });
  const opened = await Promise.all([dial(), dial(), dial()]);
  const closed = opened.map(
    ({ stream }) => new Promise((resolve) => stream.once('close', () => resolve(stream.errored))),
  );
  expect(String(await Promise.race(closed))).toContain('limit of all port-forwards is 32 MiB');
  for (const { stream, close } of opened) {
    stream.destroy();
    await close();
  }
}, 60_000);
