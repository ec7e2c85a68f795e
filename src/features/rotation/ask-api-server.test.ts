import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newPair, type Pair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { DEFAULT_ADDRESSES } from '../../kubernetes/connection/addresses.ts';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import { systemClock } from '../../kubernetes/time/clock.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { askApiServer, type PodAccess } from './ask-api-server.ts';

const POD: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'demo-karmada-apiserver-1', namespace: 'team' },
  status: { podIP: '10.0.0.1' },
};
const KID = 'ab'.repeat(32);
const HEADER = JSON.stringify({ kid: Buffer.from(KID, 'hex').toString('base64url') });
const TOKEN = `${Buffer.from(HEADER).toString('base64url')}.e30.x`;
const KEYS = JSON.stringify({ keys: [JSON.parse(HEADER)] });

let server: Server;
let ca: Pair;
/** Spaces before each response, which JSON allows. */
let padding: number;
/** Bytes that the operator has read. */
let read: number;
let isSilent: boolean;

beforeAll(async () => {
  ca = await newPair({ commonName: 'CA' });
  const pair = await newPair({ commonName: 'server', hosts: ['127.0.0.1'] }, ca);
  server = createServer(pair, (request, response) => {
    if (isSilent) return;
    const token = {
      apiVersion: 'v1',
      kind: 'TokenRequest',
      metadata: {},
      status: { token: TOKEN },
    };
    response.setHeader('content-type', 'application/json');
    response.end(' '.repeat(padding) + (request.method === 'GET' ? KEYS : JSON.stringify(token)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

beforeEach(() => {
  [padding, read, isSilent] = [0, 0, false];
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

/** Access to the server as if it were that of a Pod on a remote host cluster. */
function access(): PodAccess {
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${String(port)}`;
  const forward = async () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('close', () => (read += socket.bytesRead));
    await once(socket, 'connect');
    return socket;
  };
  return {
    clock: systemClock,
    userAgent: 'test',
    credentials: { server: url, ca: ca.cert, certificate: ca.cert, key: ca.key },
    remote: { server: url, addresses: DEFAULT_ADDRESSES as never, forward },
  };
}

describe('askApiServer', () => {
  it('returns the published keys, and the key that signs', async () => {
    expect(await askApiServer(POD, access())).toEqual({ published: [KID], signs: KID });
  });

  it('does not read long responses, which all API servers may send at once', async () => {
    padding = 4 * 2 ** 20;
    expect(await askApiServer(POD, access())).toEqual({});
    expect(read).toBeLessThan(2 ** 20);
  });

  it('waits two seconds for an API server that does not answer', async () => {
    isSilent = true;
    const clock = manualClock();
    let answer: object | undefined;
    const asked = askApiServer(POD, { ...access(), clock }).then((found) => (answer = found));
    await once(server, 'request');
    await clock.advance(1_900);
    expect(answer).toBeUndefined();
    await clock.advance(200);
    await asked;
    expect(answer).toEqual({});
  });

  it('shows nothing of a Pod without an address', async () => {
    expect(await askApiServer({ ...POD, status: {} }, access())).toEqual({});
  });
});
