/** Sends calls to an API server over a kept HTTP/2 connection, or over a new connection per call. */
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { request } from 'node:https';
import { nameOptions } from '../../../src/kubernetes/connection/server-name.ts';

/** Address of the API server, and client credentials; certificates and key in PEM. */
export interface Target {
  host: string;
  port: number;
  /** Name or IP address that the certificate of the API server must contain. */
  serverName: string;
  ca: string;
  cert: string;
  key: string;
  /** Calls per second of each client. */
  callsPerSecond: number;
}

export interface Call {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
}

export interface Answer {
  status: number;
  body: string;
  /** Value of Retry-After in seconds; the server has not processed the call. */
  retryAfter?: number;
}

/** Response with the parsed Retry-After header. */
function answerOf(status: number, body: string, retryAfter: string | undefined): Answer {
  return { status, body, ...(retryAfter !== undefined && { retryAfter: Number(retryAfter) }) };
}

/** Function that sends a call. */
export type Caller = (call: Call) => Promise<Answer>;

/** Timeout of a call in milliseconds. */
const CALL_TIMEOUT_MS = 15_000;

const encoded = ({ body }: Call): string => (body === undefined ? '' : JSON.stringify(body));

/** Opens a new connection for each call, as command-line tools do. */
export function freshCaller({ host, port, serverName, ca, cert, key }: Target): Caller {
  return (call) =>
    new Promise((resolve, reject) => {
      const { method, path } = call;
      const headers = { 'content-type': 'application/json', connection: 'close' };
      const tls = { ca, cert, key, ...nameOptions(serverName) };
      const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
      const options = { host, port, method, path, headers, agent: false, signal, ...tls };
      const sent = request(options, (answer) => {
        let body = '';
        answer.setEncoding('utf8');
        answer.on('data', (part: string) => (body += part));
        const { statusCode = 0, headers } = answer;
        answer.on('end', () => resolve(answerOf(statusCode, body, headers['retry-after'])));
        answer.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(encoded(call));
    });
}

/** The server has not processed the request. HTTP/2 clients send such a request again (RFC 9113, section 8.7). */
class Refused extends Error {}

/** Keeps a connection open as long as the server does, as controllers do. */
export class KeptConnection {
  readonly #target: Target;
  #session: ClientHttp2Session | undefined;
  /** Last stream ID in the GOAWAY frame of each connection. */
  readonly #lastStreams = new WeakMap<ClientHttp2Session, number>();

  constructor(target: Target) {
    this.#target = target;
  }

  call(call: Call): Promise<Answer> {
    return this.#untilProcessed(() => this.#send(call));
  }

  async #untilProcessed(send: () => Promise<Answer>): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await send();
      } catch (error) {
        if (!(error instanceof Refused) || tries === 3) throw error;
      }
    }
  }

  close(): void {
    this.#session?.destroy();
  }

  /** Passes chunks of a successful response to `onData` until the server ends it or `signal` is aborted. */
  stream(path: string, onData: (part: string) => void, signal: AbortSignal): Promise<Answer> {
    return this.#untilProcessed(() => this.#receive(path, onData, signal));
  }

  #receive(path: string, onData: (part: string) => void, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const session = this.#open();
      const stream = session.request({ ':path': path, ':method': 'GET' }, { signal });
      let [status, body] = [0, ''];
      let retryAfter: string | undefined;
      const end = (): void => resolve(answerOf(status, body, retryAfter));
      stream.setEncoding('utf8');
      stream.on('response', (answer) => {
        status = answer[':status'] ?? 0;
        retryAfter = answer['retry-after'];
      });
      stream.on('data', (part: string) => {
        if (status === 200) onData(part);
        else body += part;
      });
      stream.on('close', end);
      stream.on('error', (error: Error) => {
        if (signal.aborted) end();
        else reject(this.#isRefused(session, stream) ? new Refused(error.message) : error);
      });
    });
  }

  #open(): ClientHttp2Session {
    const current = this.#session;
    if (current !== undefined && !current.closed && !current.destroyed) return current;
    const { host, port, serverName, ca, cert, key } = this.#target;
    const session = connect(`https://${host}:${String(port)}`, {
      ca,
      cert,
      key,
      ...nameOptions(serverName),
    });
    // Each request reports its own error. After GOAWAY, new requests use a new connection.
    session.on('error', () => undefined);
    session.on('goaway', (_code, lastStream) => {
      this.#lastStreams.set(session, lastStream);
      if (this.#session === session) this.#session = undefined;
    });
    this.#session = session;
    return session;
  }

  #send(call: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = {
        ':path': call.path,
        ':method': call.method,
        'content-type': 'application/json',
      };
      const session = this.#open();
      const stream = session.request(headers, { signal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
      let [status, body] = [0, ''];
      let retryAfter: string | undefined;
      stream.setEncoding('utf8');
      stream.on('response', (answer) => {
        status = answer[':status'] ?? 0;
        retryAfter = answer['retry-after'];
      });
      stream.on('data', (part: string) => (body += part));
      stream.on('end', () => resolve(answerOf(status, body, retryAfter)));
      stream.on('error', (error: Error) =>
        reject(this.#isRefused(session, stream) ? new Refused(error.message) : error),
      );
      stream.on('close', () => reject(new Error('the connection ended before the answer')));
      // A request without body has ended already.
      if (call.body !== undefined) stream.end(encoded(call));
    });
  }

  #isRefused(session: ClientHttp2Session, stream: ClientHttp2Stream): boolean {
    return (
      stream.rstCode === constants.NGHTTP2_REFUSED_STREAM ||
      (stream.id ?? 0) > (this.#lastStreams.get(session) ?? Infinity)
    );
  }
}
