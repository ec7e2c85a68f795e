import { channel } from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newPair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { systemClock } from '../time/clock.ts';
import { explicitEndpoint } from './connection.ts';
import { Transport } from '../client/transport.ts';

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

function newTransport(at = url): Transport {
  const endpoint = explicitEndpoint({ server: at });
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

/** Sends a request that the server answers. @returns its connection at the server */
async function serveNext(): Promise<ServerHttp2Stream['session']> {
  const next = new Promise<ServerHttp2Stream>((resolve) => answerOf.set('/next', resolve));
  const answer = transport.send({ ...request, path: '/next' });
  const stream = await next;
  const { session } = stream;
  stream.respond({ ':status': 200 });
  stream.end('served');
  expect(await answer).toMatchObject({ status: 200, body: 'served' });
  return session;
}

describe('a request body that exceeds the flow-control window of the server', () => {
  /** Sends a body of which the server reads nothing. @returns the call, and its stream at the server */
  async function sendUnread(
    signal?: AbortSignal,
  ): Promise<{ readonly sent: Promise<unknown>; readonly stream: ServerHttp2Stream }> {
    const arrived = new Promise<ServerHttp2Stream>((resolve) => answerOf.set('/large', resolve));
    const sent = transport.send({
      ...request,
      method: 'POST',
      path: '/large',
      body: 'x'.repeat(400_000),
      ...(signal && { signal }),
    });
    sent.catch(() => undefined);
    return { sent, stream: await arrived };
  }

  it('ends with its connection when it is aborted, and the next request gets a new one', async () => {
    const held = new Promise<ServerHttp2Stream>((resolve) => answerOf.set('/held', resolve));
    const other = transport.send({ ...request, path: '/held' });
    other.catch(() => undefined);
    const { session } = await held;
    const ended = new Promise((resolve) => session?.once('close', resolve));
    const controller = new AbortController();
    const { sent, stream: unread } = await sendUnread(controller.signal);
    expect(unread.session === session).toBe(true);
    controller.abort(new Error('aborted by test'));
    await expect(sent).rejects.toThrow('aborted by test');
    await expect(other).rejects.toMatchObject({ transient: true, maybeSent: true });
    await ended;
    expect((await serveNext()) === session).toBe(false);
  });

  it('does not lose the response of a server that refuses the request without reading it', async () => {
    const { sent, stream } = await sendUnread();
    stream.respond({ ':status': 429 });
    stream.end('busy');
    stream.close();
    expect(await sent).toMatchObject({ status: 429, body: 'busy' });
  });
});

it('keeps the connection when a request is aborted whose body is sent', async () => {
  const arrived = new Promise<ServerHttp2Stream>((resolve) => answerOf.set('/small', resolve));
  const controller = new AbortController();
  const { signal } = controller;
  const sent = transport.send({ ...request, method: 'POST', path: '/small', body: '{}', signal });
  const { session } = await arrived;
  controller.abort(new Error('aborted by test'));
  await expect(sent).rejects.toThrow('aborted by test');
  expect((await serveNext()) === session).toBe(true);
});

describe('a server that responds while Node.js still handles a long response', () => {
  /** Responds to GET with 1 MiB, and to other requests after their body. It needs a thread, because the test blocks its own. */
  const SERVER = `
    const { parentPort, workerData } = require('node:worker_threads');
    const server = require('node:http2').createSecureServer(workerData);
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      if (headers[':method'] === 'GET') return stream.end(Buffer.alloc(1_048_576));
      stream.resume().on('end', () => stream.end('read'));
    });
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;

  it('gets all requests on one connection', async () => {
    const workerData = await newPair(
      { commonName: 'server', hosts: ['127.0.0.1'] },
      await newPair({ commonName: 'CA' }),
    );
    const worker = new Worker(SERVER, { eval: true, workerData });
    const [port] = (await once(worker, 'message')) as [number];
    const busy = newTransport(`https://127.0.0.1:${String(port)}`);
    const sent: Promise<unknown>[] = [];
    for (let time = 0; time < 3; time += 1) {
      const long = await busy.open({ ...request, path: '/' });
      for await (const chunk of long.chunks) {
        expect(chunk.length).toBeGreaterThan(0);
        const answer = busy.send({ ...request, method: 'POST', path: '/', body: '{}' });
        sent.push(answer.catch((error: unknown) => error));
        for (let turn = 0; turn < 5 * time; turn += 1) await Promise.resolve();
        const until = performance.now() + 5;
        while (performance.now() < until);
      }
      long.close();
    }
    for (const answer of await Promise.all(sent))
      expect(answer).toMatchObject({ status: 200, body: 'read' });
    await busy.close();
    await worker.terminate();
  });
});

it('closes the connection of a server that sends origins without end', async () => {
  const flooded = new Promise<void>((resolve) => {
    server.once('session', (session) => {
      let count = 0;
      const send = (): void => {
        if (session.destroyed || session.closed) return;
        const origins = Array.from({ length: 100 }, () => `https://h${(count += 1)}.example.com`);
        session.origin(...origins);
        setImmediate(send);
      };
      session.on('error', () => undefined).once('close', resolve);
      send();
    });
  });
  answerOf.set('/watch', (stream) => stream.respond({ ':status': 200 }));
  const opened = await transport.open({ ...request, path: '/watch', stream: true });
  const read = opened.chunks[Symbol.asyncIterator]().next();
  await read.catch(() => undefined);
  await flooded;
});

it('handles a new stream once, however many transports there are', async () => {
  const handled = (): number => {
    const stream = Object.assign(new EventEmitter(), { sentHeaders: {} });
    channel('http2.client.stream.created').publish({ stream });
    return stream.listenerCount('close');
  };
  const others = [newTransport(), newTransport()];
  expect(handled()).toBe(1);
  await Promise.all(others.map((other) => other.close()));
  expect(handled()).toBe(1);
});
