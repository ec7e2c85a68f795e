import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { manualClock, settle } from '../time/clock.fixture.ts';
import { explicitEndpoint } from '../connection/connection.ts';
import type { HttpRequest } from './http.ts';
import { Transport } from './transport.ts';

const MIB = 1_048_576;
const TIMEOUT_MS = 5_000;

let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((_, response) => response.end('"x"'.padEnd(MIB, ' ')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => void server.close());

/** Requests 1 MiB, for which there is no room yet. */
async function request(more: Partial<HttpRequest> = {}) {
  const clock = manualClock();
  const transport = new Transport(explicitEndpoint({ server: url }), clock);
  const [waiting, room] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let bytes = 0;
  const add = (count: number, signal?: AbortSignal): Promise<void> | undefined => {
    const hasRoom = bytes > 262_144;
    bytes += count;
    if (hasRoom || bytes <= 262_144) return undefined;
    waiting.resolve();
    signal?.addEventListener('abort', () => room.reject(signal.reason as Error));
    return room.promise;
  };
  const common = {
    method: 'GET',
    path: '/',
    timeoutMs: TIMEOUT_MS,
    description: 'list x',
  } as const;
  const sent = transport.send({ ...common, ...more, reading: { add } }).then(
    ({ body }) => body.length,
    (error: unknown) => error,
  );
  await waiting.promise;
  await settle();
  return { clock, sent, transport, bytes: () => bytes, giveRoom: () => room.resolve() };
}

describe('Transport with a long response', () => {
  it('reads no further until there is room, which does not count towards the timeout', async () => {
    const { clock, sent, transport, bytes, giveRoom } = await request();
    expect(bytes()).toBeLessThan(MIB / 2);
    await clock.advance(100 * TIMEOUT_MS);
    giveRoom();
    expect(await sent).toBe(MIB);
    await transport.close();
    expect(clock.pending()).toBe(0);
  });

  it('rejects a response that is too long after there is room', async () => {
    const { sent, transport, giveRoom } = await request({ maxBytes: MIB / 2 });
    giveRoom();
    expect(await sent).toMatchObject({ code: 'TOO_LARGE' });
    await transport.close();
  });

  it('ends the wait when the caller aborts the request', async () => {
    const caller = new AbortController();
    const { clock, sent, transport } = await request({ signal: caller.signal });
    const reason = new Error('aborted by test');
    caller.abort(reason);
    expect(await sent).toBe(reason);
    await transport.close();
    expect(clock.pending()).toBe(0);
  });
});
