import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { manualClock, settle } from '../time/clock.fixture.ts';
import { explicitEndpoint } from '../connection/connection.ts';
import type { HttpRequest } from './http.ts';
import { Transport } from './transport.ts';

/** More calls than one connection carries, so that most of them wait for a connection. */
const CALLS = 12;
const DEADLINE_MS = 5_000;

/** A server that accepts TCP connections and sends nothing, so that the TLS handshake never completes. */
let server: Server;
let sockets: Socket[];
let clock: ReturnType<typeof manualClock>;
let transport: Transport;

beforeEach(async () => {
  sockets = [];
  server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined).resume());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  clock = manualClock();
  transport = new Transport(explicitEndpoint({ server: `https://127.0.0.1:${port}` }), clock);
});

afterEach(async () => {
  await transport.close();
  server.close();
});

const request = (more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  path: '/version',
  timeoutMs: DEADLINE_MS,
  description: 'get /version',
  ...more,
});

/** Starts several calls. @returns their results or errors */
async function begin(more: Partial<HttpRequest> = {}): Promise<Promise<unknown>[]> {
  const call = request(more);
  const answers = Array.from({ length: CALLS }, () =>
    (call.stream === true ? transport.open(call) : transport.send(call)).then(
      () => 'a response',
      (error: unknown) => error,
    ),
  );
  await once(server, 'connection');
  await settle();
  return answers;
}

/** Closes all connections at the server. The transport must not reconnect for calls that have ended. */
async function endServer(): Promise<void> {
  const gone = sockets.map((socket) => once(socket, 'close'));
  for (const socket of sockets) socket.destroy();
  await Promise.all(gone);
  await settle();
}

describe('Transport to a server that does not respond', () => {
  it.each([
    ['calls', {}],
    ['watches', { stream: true }],
  ])('fails all %s at their timeout and leaves no connection or timer', async (_, more) => {
    const answers = await begin(more);
    await clock.advance(DEADLINE_MS);
    expect(await Promise.all(answers)).toEqual(
      Array.from({ length: CALLS }, () => expect.objectContaining({ code: 'TIMEOUT' })),
    );
    await endServer();
    expect(sockets).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });

  it('fails all calls at once when the caller aborts them, and does not delay close', async () => {
    const caller = new AbortController();
    const answers = await begin({ signal: caller.signal });
    const reason = new Error('aborted by test');
    caller.abort(reason);
    expect(await Promise.all(answers)).toEqual(Array.from({ length: CALLS }, () => reason));
    const closed = transport.close();
    await endServer();
    await closed;
    expect(sockets).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });
});
