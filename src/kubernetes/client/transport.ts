import type { Dispatcher } from 'undici';
import { BodyChunks } from '../connection/body-chunks.ts';
import type { Clock } from '../time/clock.ts';
import type { Credentials, Endpoint } from '../connection/connection.ts';
import { Deadline } from '../connection/deadline.ts';
import { newDispatcher } from '../connection/dispatcher.ts';
import type { HearDate, HttpAnswer, HttpRequest, HttpStream } from './http.ts';
import { NetworkError, toNetworkError } from './errors.ts';
import { sha256 } from '../objects/intent.ts';
import { wholeBody } from './limits.ts';
import { paced } from './long-responses.ts';
import { ConnectionPool } from '../connection/connection-pool.ts';
import { handleAbortedStreams } from '../connection/http2-streams.ts';
import { TlsContext } from '../connection/tls-context.ts';

/** Time for which credentials are cached. */
const CREDENTIALS_TTL_MS = 10_000;
/** Time after which a replaced connection pool is destroyed. It is longer than any watch. */
const RETIREMENT_MS = 330_000;

interface Pool {
  /** Hash of the credentials without headers. */
  readonly key: string;
  readonly credentials: Credentials;
  readonly context: TlsContext;
  calls: ConnectionPool;
  watches: ConnectionPool;
}

/**
 * HTTP/2 or HTTP/1.1 connections to one API server: one connection pool for calls and one for watches. New credentials
 * get new pools; the old ones finish their active requests and close.
 */
export class Transport {
  readonly #endpoint: Endpoint;
  readonly #clock: Clock;
  readonly #hearDate: HearDate | undefined;
  readonly #answerLimit: number;
  readonly #origin: string;
  readonly #basePath: string;
  #pool: Pool | undefined;
  #checkedAt = -Infinity;
  #refreshing: Promise<Pool> | undefined;
  #closed = false;
  readonly #retired = new Map<ConnectionPool, () => void>();

  /**
   * @param hearDate called with the Date header of each response
   * @param answerLimit maximum length of a response in bytes; a longer one is an error
   */
  constructor(endpoint: Endpoint, clock: Clock, hearDate?: HearDate, answerLimit = Infinity) {
    handleAbortedStreams();
    const url = new URL(endpoint.server);
    this.#endpoint = endpoint;
    this.#clock = clock;
    this.#hearDate = hearDate;
    this.#answerLimit = answerLimit;
    this.#origin = url.origin;
    this.#basePath = url.pathname.replace(/\/$/, '');
  }

  /**
   * Sends one request and reads the whole response.
   * @throws NetworkError when there is no complete response; the reason of the signal when it is aborted
   */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const deadline = new Deadline(this.#clock, request);
    try {
      const answer = await this.#dispatch(request, deadline);
      const maxBytes = Math.min(request.maxBytes ?? Infinity, this.#answerLimit);
      const chunks = chunksOf(answer.body, request, deadline);
      const body = await wholeBody(request.description, answer, maxBytes, chunks);
      return { status: answer.statusCode, headers: answer.headers, body };
    } catch (error) {
      throw this.#failure(request, deadline, error);
    } finally {
      deadline.clear();
      deadline.leave();
    }
  }

  /** Sends one request and returns after the headers arrive; the caller reads the body. */
  async open(request: HttpRequest): Promise<HttpStream> {
    const deadline = new Deadline(this.#clock, request);
    try {
      const answer = await this.#dispatch(request, deadline);
      deadline.headersCame();
      const used = deadline.line;
      return {
        status: answer.statusCode,
        headers: answer.headers,
        chunks: new BodyChunks(answer.body),
        close: () => {
          deadline.clear();
          answer.body.on('error', () => undefined).destroy();
          deadline.leave();
        },
        suspect: () => this.#renew('watches', used),
      };
    } catch (error) {
      deadline.clear();
      deadline.leave();
      throw this.#failure(request, deadline, error);
    }
  }

  /** Invalidates the cached credentials, for example after a 401. */
  forgetCredentials(): void {
    this.#checkedAt = -Infinity;
  }

  /** Closes watches at once, waits for active calls, then closes all connections. */
  async close(): Promise<void> {
    this.#closed = true;
    const pool = this.#pool;
    this.#pool = undefined;
    for (const [line, cancel] of this.#retired) {
      cancel();
      void line.destroy();
    }
    this.#retired.clear();
    await Promise.all([pool?.watches.destroy(), pool?.calls.drain()]);
  }

  async #dispatch(request: HttpRequest, deadline: Deadline): Promise<Dispatcher.ResponseData> {
    const pool = await this.#current();
    deadline.throwIfOver();
    request.term?.check();
    const line = request.stream === true ? pool.watches : pool.calls;
    deadline.enter(line);
    const sentAt = this.#clock.monotonic();
    const answer = await line.request({
      origin: this.#origin,
      path: `${this.#basePath}${request.path}`,
      method: request.method,
      headers: { ...pool.credentials.headers, ...request.headers },
      body: request.body ?? null,
      signal: deadline.signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const { date } = answer.headers;
    if (typeof date === 'string') this.#hearDate?.(date, sentAt);
    return answer;
  }

  async #current(): Promise<Pool> {
    if (this.#closed) throw new NetworkError('request', 'CLOSED', 'the client is closed');
    const fresh = this.#clock.monotonic() - this.#checkedAt < CREDENTIALS_TTL_MS;
    if (this.#pool !== undefined && fresh) return this.#pool;
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refresh(): Promise<Pool> {
    const credentials = await this.#endpoint.credentials();
    this.#checkedAt = this.#clock.monotonic();
    const key = sha256(JSON.stringify({ ...credentials, headers: undefined }));
    const old = this.#pool;
    if (old?.key === key) {
      this.#pool = { ...old, credentials };
      return this.#pool;
    }
    const context = new TlsContext(credentials);
    const tls = { credentials, context };
    this.#pool = { key, ...tls, calls: this.#newLine(tls), watches: this.#newLine(tls) };
    if (old !== undefined) {
      this.#retire(old.calls);
      this.#retire(old.watches);
    }
    return this.#pool;
  }

  /**
   * Replaces a connection pool that seems dead. On HTTP/2 a later request would otherwise reuse the unresponsive
   * connection of a request that timed out. If many requests report the same pool, only the first call has an effect.
   */
  #renew(kind: 'calls' | 'watches', used: ConnectionPool | undefined): void {
    const pool = this.#pool;
    if (used === undefined || pool?.[kind] !== used || this.#closed) return;
    pool[kind] = this.#newLine(pool);
    this.#retire(used);
  }

  #newLine({ credentials, context }: Pick<Pool, 'credentials' | 'context'>): ConnectionPool {
    return new ConnectionPool(newDispatcher(this.#endpoint, credentials, context), this.#clock);
  }

  #retire(line: ConnectionPool): void {
    const forget = (): void => {
      this.#retired.get(line)?.();
      this.#retired.delete(line);
    };
    const cancel = this.#clock.after(RETIREMENT_MS, () => void line.destroy().then(forget));
    this.#retired.set(line, cancel);
    void line.drain().then(forget);
  }

  #failure(request: HttpRequest, deadline: Deadline, error: unknown): unknown {
    if (request.signal?.aborted === true) return request.signal.reason;
    if (deadline.over) {
      this.#renew(request.stream === true ? 'watches' : 'calls', deadline.line);
      const text = `no response from the API server within ${request.timeoutMs} ms`;
      return new NetworkError(request.description, 'TIMEOUT', text);
    }
    return error instanceof NetworkError ? error : toNetworkError(request.description, error);
  }
}

/** Chunks of a body, as fast as there is room for them. */
function chunksOf(
  body: AsyncIterable<Uint8Array>,
  { reading }: HttpRequest,
  deadline: Deadline,
): AsyncIterable<Uint8Array> {
  if (reading === undefined) return body;
  return paced(body, (bytes) => {
    const wait = reading.add(bytes, deadline.signal);
    return wait && deadline.paused(wait);
  });
}
