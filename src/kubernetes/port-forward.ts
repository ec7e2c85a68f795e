/**
 * TCP connection to a port of a Pod through the API server: WebSocket with the subprotocol v4.channel.k8s.io. Each
 * message starts with its channel number: 0 is data in both directions, 1 is errors of the kubelet.
 */
import { Duplex } from 'node:stream';
import { WebSocket, type Dispatcher } from 'undici';
import { NetworkError } from './errors.ts';

const PROTOCOL = 'v4.channel.k8s.io';
const DATA = 0;
/** Maximum number of buffered bytes before the writer must wait. */
const HIGH_WATER = 1_048_576;
/** Maximum number of received bytes that were not read, because the server decides how much it sends. */
const MOST_UNREAD = 16_777_216;
const DRAIN_CHECK_MS = 5;

export interface ForwardTarget {
  /** URL of the API server, with https. */
  readonly server: string;
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

export interface ForwardMeans {
  /** HTTP/1.1 connections to the API server. */
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/**
 * Opens a port-forward to a Pod.
 * @throws NetworkError when the API server rejects the request, or when the connection is not open before the timeout
 */
export async function forwardPort(target: ForwardTarget, means: ForwardMeans): Promise<Duplex> {
  const { server, namespace, pod, port } = target;
  const url = new URL(server);
  url.protocol = 'wss:';
  const path = ['api', 'v1', 'namespaces', namespace, 'pods', pod, 'portforward'];
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${path.map(encodeURIComponent).join('/')}`;
  url.searchParams.set('ports', String(port));
  const { dispatcher, headers } = means;
  const socket = new WebSocket(url, { protocols: [PROTOCOL], dispatcher, headers });
  socket.binaryType = 'arraybuffer';
  const stream = new ForwardedStream(socket, `forward to pod ${namespace}/${pod}`);
  return opened(stream, socket, means.timeoutMs);
}

function opened(stream: Duplex, socket: WebSocket, timeoutMs: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stream.destroy(new NetworkError('port-forward', 'TIMEOUT', 'connection timed out'));
    }, timeoutMs);
    socket.addEventListener('open', () => {
      clearTimeout(timer);
      stream.off('error', reject);
      resolve(stream);
    });
    stream.once('error', reject);
    stream.once('close', () => clearTimeout(timer));
  });
}

class ForwardedStream extends Duplex {
  readonly #socket: WebSocket;
  readonly #what: string;
  /** Channels whose first message has arrived. That message only repeats the port. */
  readonly #begun = new Set<number>();

  constructor(socket: WebSocket, what: string) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    this.#what = what;
    // Users of the stream add their own listener. Without this one an error would end the process if there is none.
    this.on('error', () => undefined);
    socket.addEventListener('message', ({ data }) =>
      this.#receive(Buffer.from(data as ArrayBuffer)),
    );
    socket.addEventListener('error', ({ message }) => this.#fail(message || 'connection failed'));
    socket.addEventListener('close', () => {
      this.push(null);
      this.destroy();
    });
  }

  override _read(): void {
    // Received data is pushed at once. TLS and HTTP/2 above provide flow control, and `#receive` has a limit.
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error) => void): void {
    if (this.#socket.readyState !== WebSocket.OPEN)
      return done(this.#error('connection is closed'));
    this.#socket.send(Buffer.concat([Buffer.of(DATA), chunk]));
    this.#whenDrained(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#socket.readyState <= WebSocket.OPEN) this.#socket.close();
    done(error);
  }

  #whenDrained(done: () => void): void {
    if (this.#socket.bufferedAmount < HIGH_WATER || this.destroyed) return done();
    setTimeout(() => this.#whenDrained(done), DRAIN_CHECK_MS);
  }

  #receive(message: Buffer): void {
    const channel = message[0] ?? DATA;
    if (!this.#begun.has(channel)) {
      this.#begun.add(channel);
      return;
    }
    const content = message.subarray(1);
    if (this.readableLength > MOST_UNREAD) this.#fail('more data than the operator reads');
    else if (channel === DATA) this.push(content);
    else if (content.length > 0) this.#fail(content.toString('utf8').slice(0, 300).trim());
  }

  #fail(text: string): void {
    this.destroy(this.#error(text));
  }

  #error(text: string): NetworkError {
    return new NetworkError(this.#what, 'FORWARD', text);
  }
}
