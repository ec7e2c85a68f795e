/** Port-forwards of a stub API server to its Pods: WebSocket (RFC 6455) with the subprotocol v4.channel.k8s.io. */
import type { IncomingMessage } from 'node:http';
import type { Http2SecureServer } from 'node:http2';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  CLOSE,
  frame,
  upgradeResponse,
  WHOLE_MESSAGE,
} from '../../../src/kubernetes/client/websocket.fixture.ts';

const PATH = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/portforward\?ports=(\d+)$/;
const [DATA, ERROR] = [0, 1];
const OPCODE = 0x0f;
/** A length above 125 follows in 2 or 8 bytes. */
const [SHORT, LONG] = [126, 127];
const MASK_BYTES = 4;

/** Returns the address of a Pod. */
export type PodAddress = (namespace: string, name: string) => string | undefined;

/** Serves port-forwards besides the requests of a server. */
export function servePortForwards(server: Http2SecureServer, addressOf: PodAddress): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => undefined);
    const [, namespace = '', pod = '', port] = PATH.exec(request.url ?? '') ?? [];
    const host = addressOf(decodeURIComponent(namespace), decodeURIComponent(pod));
    if (host === undefined) {
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const key = String(request.headers['sec-websocket-key']);
    socket.write(upgradeResponse(Buffer.from(`Sec-WebSocket-Key: ${key}`)));
    forward(socket, { host, port: Number(port) });
  });
}

function forward(socket: Duplex, target: { readonly host: string; readonly port: number }): void {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(target.port);
  for (const channel of [DATA, ERROR]) socket.write(message(channel, bytes));
  const pod = connect(target);
  const messages = new Messages();
  socket.on('data', (received: Buffer) => {
    for (const { opcode, payload } of messages.read(received)) {
      if (opcode === (CLOSE & OPCODE)) socket.end(Buffer.of(CLOSE, 0));
      else if (payload[0] === DATA) pod.write(payload.subarray(1));
    }
  });
  pod.on('data', (data: Buffer) => socket.write(message(DATA, data)));
  pod.on('error', (error) => socket.write(message(ERROR, Buffer.from(String(error)))));
  pod.on('close', () => socket.end(Buffer.of(CLOSE, 0)));
  socket.on('close', () => pod.destroy());
}

const message = (channel: number, data: Buffer): Buffer =>
  frame(WHOLE_MESSAGE, Buffer.concat([Buffer.of(channel), data]));

interface Message {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** Reads the messages of a client, which masks them. */
class Messages {
  #left = Buffer.alloc(0);

  *read(received: Buffer): Generator<Message> {
    this.#left = Buffer.concat([this.#left, received]);
    for (;;) {
      const next = firstIn(this.#left);
      if (next === undefined) return;
      this.#left = this.#left.subarray(next.length);
      yield next;
    }
  }
}

/** @returns undefined while it is not complete */
function firstIn(bytes: Buffer): (Message & { readonly length: number }) | undefined {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] ?? 0) & 0x7f;
  const start = 2 + (short === LONG ? 8 : short === SHORT ? 2 : 0);
  if (bytes.length < start + MASK_BYTES) return undefined;
  const size =
    short === LONG
      ? Number(bytes.readBigUInt64BE(2))
      : short === SHORT
        ? bytes.readUInt16BE(2)
        : short;
  const length = start + MASK_BYTES + size;
  if (bytes.length < length) return undefined;
  const mask = bytes.subarray(start, start + MASK_BYTES);
  const payload = bytes
    .subarray(start + MASK_BYTES, length)
    .map((byte, index) => byte ^ (mask[index % MASK_BYTES] ?? 0));
  return { opcode: (bytes[0] ?? 0) & OPCODE, payload: Buffer.from(payload), length };
}
