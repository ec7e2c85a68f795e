import { once } from 'node:events';
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { newPair } from '../../test/harness/certificates.ts';
import { systemClock } from './clock.ts';
import { explicitEndpoint } from './connection.ts';
import { Transport } from './transport.ts';

// Key generation takes seconds on a busy machine.

let server: Http2SecureServer;
let url: string;
let transport: Transport;
const answerOf = new Map<string, (stream: ServerHttp2Stream) => void>();

beforeAll(async () => {
  const pair = await newPair(
    { commonName: 'server', hosts: ['127.0.0.1'] },
    await newPair({ commonName: 'CA' }),
  );
  server = createSecureServer(pair);
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    answerOf.get(headers[':path'] ?? '')?.(stream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(() => {
  transport = newTransport();
});

// Closes the connections. An unhandled stream would now emit an error that ends the process.
afterEach(() => transport.close());

afterAll(async () => {
  server.close();
  await once(server, 'close');
});

function newTransport(): Transport {
  const endpoint = explicitEndpoint({ server: url });
  const credentials = async (): Promise<object> => ({
    ...(await endpoint.credentials()),
    insecureSkipTlsVerify: true,
  });
  return new Transport({ ...endpoint, credentials } as typeof endpoint, systemClock);
}

const request = { method: 'GET', timeoutMs: 20_000, description: 'test' } as const;

/** Opens a watch, aborts it in the tick in which it is sent, and lets the server respond. */
async function abandon(): Promise<ServerHttp2Stream> {
  const arrived = new Promise<ServerHttp2Stream>((resolve) => answerOf.set('/watch', resolve));
  const controller = new AbortController();
  const opened = transport.open({
    ...request,
    path: '/watch',
    stream: true,
    signal: controller.signal,
  });
  // The credentials are cached, so the request is sent after some microtasks.
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  controller.abort(new Error('aborted by test'));
  await expect(opened).rejects.toThrow('aborted by test');
  const stream = await arrived;
  stream.respond({ ':status': 200 });
  stream.write('{}\n');
  return stream;
}

/** Waits for the stream to close. `once` of node:events would reject on the expected reset. */
function closed(stream: ServerHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve();
    else stream.once('close', resolve);
  });
}

/** Opens the watch connection, so that the next watch is sent at once. */
async function warm(): Promise<void> {
  answerOf.set('/warm', (stream) => {
    stream.respond({ ':status': 200 });
    stream.end();
  });
  const stream = await transport.open({ ...request, path: '/warm', stream: true });
  for await (const chunk of stream.chunks) void chunk;
  stream.close();
}

it('closes the stream at the server when a watch is aborted in the tick in which it is sent', async () => {
  await warm();
  const stream = await abandon();
  await closed(stream);
  expect(stream.rstCode).toBe(constants.NGHTTP2_STREAM_CLOSED);
});

it('does not affect other requests on the same connection when a watch is aborted', async () => {
  await warm();
  const held = new Promise<ServerHttp2Stream>((resolve) => answerOf.set('/held', resolve));
  const opening = transport.open({ ...request, path: '/held', stream: true });
  const serving = await held;
  serving.respond({ ':status': 200 });
  const other = await opening;
  const abandoned = await abandon();
  await closed(abandoned);
  serving.end('still here');
  const parts: string[] = [];
  for await (const chunk of other.chunks) parts.push(Buffer.from(chunk).toString());
  other.close();
  expect(parts.join('')).toBe('still here');
});
