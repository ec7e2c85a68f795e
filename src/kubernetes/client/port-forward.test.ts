import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { deflateRawSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Dispatcher } from 'undici';
import { newPair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { webSocketDispatcher } from '../connection/dispatcher.ts';
import { forwardPort } from './port-forward.ts';
import { MAX_UNREAD, UnreadBytes } from '../connection/unread-bytes.ts';
import { CLOSE, frame, frameHeader, upgradeResponse, WHOLE_MESSAGE } from './websocket.fixture.ts';

/** Final and not final messages with binary data, and continuations. */
const [FINAL, FIRST, CONTINUED] = [WHOLE_MESSAGE, 0x02, 0x00];
const COMPRESSED = 0x40;
/** Bytes that the test server sends at most: far more than each limit. */
const ENOUGH = 48 * 2 ** 20;
const PIECE = Buffer.alloc(2 ** 16);

/** Frame that ends a WebSocket with a code. */
function closeFrame(code: number): Buffer {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(code);
  return Buffer.concat([Buffer.of(CLOSE, payload.length), payload]);
}

/** Channel 0, then the port: the first message of each port-forward. */
const PORT = frame(FINAL, Buffer.of(0, 0xcb, 0x14));

let server: Server;
let url: string;
let dispatcher: Dispatcher;
let unread: UnreadBytes;
/** What the server sends after the handshake. Each piece counts, also if the operator does not read it. */
let sends: () => Generator<Buffer>;
let extension: string;
let accepted: number;
/** Whether the server ends the connection after what it sends. */
let endsAfter: boolean;
/** What it answers in place of opening the WebSocket. */
let refusal: string | undefined;

/** Sends pieces until the peer closes the connection or `ENOUGH` bytes are sent. */
function sendAll(socket: TLSSocket): void {
  const pieces = sends();
  let sent = 0;
  const more = (): void => {
    while (sent < ENOUGH && !socket.destroyed) {
      const { value, done } = pieces.next();
      if (done === true) return void (endsAfter && socket.end());
      sent += value.length;
      accepted += value.length;
      if (!socket.write(value)) return;
    }
  };
  socket.on('drain', more);
  more();
}

function upgrade(socket: TLSSocket): void {
  socket.on('error', () => undefined);
  socket.once('data', (request: Buffer) => {
    if (refusal !== undefined) return void socket.end(refusal);
    socket.write(upgradeResponse(request, extension));
    sendAll(socket);
    socket.resume();
  });
}

beforeAll(async () => {
  const pair = await newPair(
    { commonName: 'server', hosts: ['127.0.0.1'] },
    await newPair({ commonName: 'CA' }),
  );
  server = createServer(pair, upgrade).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(() => {
  [accepted, extension, endsAfter, refusal] = [0, '', false, undefined];
  unread = new UnreadBytes();
  dispatcher = webSocketDispatcher({ server: url }, { headers: {}, insecureSkipTlsVerify: true });
});

afterEach(() => dispatcher.destroy());

afterAll(async () => {
  server.close();
  await once(server, 'close');
});

const open = () =>
  forwardPort(
    { server: url, namespace: 'team', pod: 'demo', port: 5443 },
    { dispatcher, headers: {}, timeoutMs: 20_000, unread },
  );

/** Opens a port-forward that nobody reads. @returns its error */
async function failure(): Promise<string> {
  const stream = await open();
  if (!stream.closed) await new Promise((resolve) => stream.once('close', resolve));
  return String(stream.errored);
}

function* repeat(piece: Buffer): Generator<Buffer> {
  for (;;) yield piece;
}

describe('forwardPort', () => {
  it.each<[string, () => Generator<Buffer>, string?]>([
    [
      'a message without an end',
      function* () {
        yield frameHeader(FINAL, 100 * 2 ** 20);
        yield* repeat(PIECE);
      },
    ],
    [
      'a message with large fragments without an end',
      function* () {
        yield frame(FIRST, PIECE);
        yield* repeat(frame(CONTINUED, PIECE));
      },
    ],
    [
      'a message with small fragments without an end',
      function* () {
        yield frame(FIRST, Buffer.of(0));
        yield* repeat(frame(CONTINUED, Buffer.of(0)));
      },
    ],
    [
      'a compressed message that is large',
      function* () {
        yield frame(FINAL | COMPRESSED, deflateRawSync(Buffer.alloc(ENOUGH)));
      },
      '\r\nSec-WebSocket-Extensions: permessage-deflate',
    ],
  ])('ends when the API server sends %s', async (_, pieces, offered = '') => {
    sends = pieces;
    extension = offered;
    expect(await failure()).toContain('NetworkError');
    // The operator has read at most 128 KiB. The rest is in buffers of the sockets.
    expect(accepted).toBeLessThan(ENOUGH / 4);
  });

  it('limits the bytes of all port-forwards of an API server that nobody reads', async () => {
    const message = 2 ** 15;
    sends = function* () {
      yield PORT;
      yield* repeat(frame(FINAL, Buffer.alloc(message)));
    };
    let most = 0;
    const exceeded = unread.exceeded.bind(unread);
    unread.exceeded = (stream) => {
      most = Math.max(most, unread.size);
      return exceeded(stream);
    };
    const errors = await Promise.all(Array.from({ length: 6 }, failure));
    for (const error of errors)
      expect(error).toMatch(/more data than is read: the limit .*is (?:16|32) MiB/);
    expect(most).toBeLessThanOrEqual(MAX_UNREAD.all + message);
    expect(unread.size).toBe(0);
  });

  it('delivers messages of the size that a kubelet sends, however many', async () => {
    const length = 2 ** 15;
    sends = function* () {
      yield PORT;
      yield* repeat(frame(FINAL, Buffer.concat([Buffer.of(0), Buffer.alloc(length)])));
    };
    let received = 0;
    const stream = await open();
    for await (const bytes of stream as AsyncIterable<Buffer>) {
      received += bytes.length;
      if (received > 2 ** 24) break;
    }
    expect(received).toBeGreaterThan(2 ** 24);
  });

  it.each([
    ['breaks when the connection is lost', Buffer.alloc(0), 'connection failed'],
    ['breaks when the API server goes away', closeFrame(1_001), 'connection lost'],
    ['ends when the Pod has ended it', closeFrame(1_000), 'null'],
  ])('%s', async (_, last, expected) => {
    sends = function* () {
      yield PORT;
      yield last;
    };
    endsAfter = true;
    expect(await failure()).toContain(expected);
  });

  it('names the status with which the API server refuses it', async () => {
    refusal = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n';
    await expect(open()).rejects.toThrow('HTTP 403');
  });

  it('closes the connection to an API server that does not answer the end of the WebSocket', async () => {
    sends = function* () {
      yield PORT;
    };
    const [stream, [socket]] = await Promise.all([open(), once(server, 'secureConnection')]);
    stream.destroy();
    await once(socket as TLSSocket, 'close');
    expect(stream.errored).toBe(null);
  });
});
