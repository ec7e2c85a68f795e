/**
 * TCP connection to a port of a Pod through the API server: WebSocket with the subprotocol v4.channel.k8s.io. Each
 * message starts with its channel number: 0 is data in both directions, 1 is errors of the kubelet.
 */
import { Duplex } from 'node:stream';
import { DecoratorHandler, WebSocket, type Dispatcher } from 'undici';
import { NetworkError } from './errors.ts';
import type { UnreadBytes } from '../connection/unread-bytes.ts';

const PROTOCOL = 'v4.channel.k8s.io';
const DATA = 0;
/** Maximum number of buffered bytes before the writer must wait. */
const HIGH_WATER = 1_048_576;
/** Time in which the server may answer the end of a WebSocket. Then its connection is closed without the answer. */
const CLOSE_MS = 2_000;
const DRAIN_CHECK_MS = 5;
/** Codes of a WebSocket that ends in order (RFC 6455, section 7.4.1): normal closure, and none. */
const ORDERLY_CLOSES: readonly number[] = [1_000, 1_005];

/** A port-forward that did not open, or broke: the Pod has not ended it. */
export class ForwardError extends NetworkError {
  /** HTTP status with which the API server refused it. */
  readonly status: number | undefined;

  constructor(request: string, text: string, status?: number) {
    super(request, 'FORWARD', text);
    this.status = status;
  }
}

export interface ForwardTarget {
  /** URL of the API server, with https. */
  readonly server: string;
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

export interface ForwardMeans {
  /** Connections of `webSocketDispatcher` to the API server. */
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Counts all port-forwards of the API server. */
  readonly unread: UnreadBytes;
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
  const { headers, timeoutMs, unread } = means;
  const connection = new Connection();
  const dispatcher = means.dispatcher.compose(connection.interceptor);
  const socket = new WebSocket(url, { protocols: [PROTOCOL], dispatcher, headers });
  socket.binaryType = 'arraybuffer';
  const what = `forward to pod ${namespace}/${pod}`;
  const stream = new ForwardedStream({ socket, connection, what, unread });
  unread.add(stream);
  return opened(stream, socket, timeoutMs);
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

/** The connection of a WebSocket. undici waits without a limit for the server to close it. */
class Connection {
  #socket: Duplex | undefined;
  #status: number | undefined;

  /** With which the API server has refused to open the WebSocket. */
  get status(): number | undefined {
    return this.#status;
  }

  readonly interceptor: Dispatcher.DispatcherComposeInterceptor =
    (dispatch) => (request, handler) => {
      const observer = {
        upgraded: (socket: Duplex): void => void (this.#socket = socket),
        answered: (status: number): void => void (this.#status = status),
      };
      return dispatch(request, new UpgradeHandler(handler, observer));
    };

  /** Closes the connection after a time, if it is still open. */
  closeAfter(ms: number): void {
    const socket = this.#socket;
    if (socket === undefined || socket.destroyed) return;
    const timer = setTimeout(() => socket.destroy(), ms);
    socket.once('close', () => clearTimeout(timer));
  }
}

interface UpgradeObserver {
  readonly upgraded: (socket: Duplex) => void;
  /** Gets the status of an answer that does not open the WebSocket. */
  readonly answered: (status: number) => void;
}

class UpgradeHandler extends DecoratorHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #observer: UpgradeObserver;

  constructor(handler: Dispatcher.DispatchHandler, observer: UpgradeObserver) {
    super(handler);
    this.#handler = handler;
    this.#observer = observer;
  }

  onResponseStart(
    ...given: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>
  ): void {
    this.#observer.answered(given[1]);
    this.#handler.onResponseStart?.(...given);
  }

  onRequestUpgrade(
    ...given: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestUpgrade']>>
  ): void {
    this.#observer.upgraded(given[3]);
    this.#handler.onRequestUpgrade?.(...given);
  }
}

interface ForwardedParts {
  readonly socket: WebSocket;
  readonly connection: Connection;
  readonly what: string;
  readonly unread: UnreadBytes;
}

class ForwardedStream extends Duplex {
  readonly #socket: WebSocket;
  readonly #connection: Connection;
  readonly #unread: UnreadBytes;
  readonly #what: string;
  /** Channels whose first message has arrived. That message only repeats the port. */
  readonly #begun = new Set<number>();

  constructor({ socket, connection, what, unread }: ForwardedParts) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    this.#connection = connection;
    this.#unread = unread;
    this.#what = what;
    // Users of the stream add their own listener. Without this one an error would end the process if there is none.
    this.on('error', () => undefined);
    socket.addEventListener('message', ({ data }) =>
      this.#receive(Buffer.from(data as ArrayBuffer)),
    );
    socket.addEventListener('error', ({ message }) => this.#fail(message || 'connection failed'));
    socket.addEventListener('close', ({ code, wasClean }) => {
      // Only the kubelet ends a WebSocket so: the Pod has closed its connection. All else says nothing about the Pod.
      if (!wasClean || !ORDERLY_CLOSES.includes(code)) return this.#fail('connection lost');
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
    this.#connection.closeAfter(error === null ? CLOSE_MS : 0);
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
    const exceeded = this.#unread.exceeded(this);
    if (exceeded !== undefined) this.#fail(`more data than is read: ${exceeded}`);
    else if (channel === DATA) this.push(content);
    else if (content.length > 0) this.#fail(content.toString('utf8').slice(0, 300).trim());
  }

  #fail(text: string): void {
    this.destroy(this.#error(text));
  }

  #error(text: string): ForwardError {
    const { status } = this.#connection;
    const said = status === undefined ? text : `HTTP ${String(status)}`;
    return new ForwardError(this.#what, said, status);
  }
}
