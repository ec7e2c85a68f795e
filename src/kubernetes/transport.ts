import type { Dispatcher } from 'undici';
import type { Clock } from './clock.ts';
import type { Credentials, Endpoint } from './connection.ts';
import { Deadline } from './deadline.ts';
import { newDispatcher } from './dispatcher.ts';
import { NetworkError, toNetworkError } from './errors.ts';
import { wholeBody } from './limits.ts';
import { Line } from './line.ts';
import { refuseOrphanStreams } from './orphan-streams.ts';

/** One HTTP request to the API server. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the server's URL, with the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Deadline for the whole answer, or only for its headers when `stream`. */
  readonly timeoutMs: number;
  /** Watches: they use connections of their own, and their body has no deadline here. */
  readonly stream?: boolean;
  /** For messages, such as `get Secret team/x`. */
  readonly description: string;
}

/** Status, headers and body of an answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Told the Date of each answer, and when (monotonic, in milliseconds) its request was sent. */
export type HearDate = (date: string, sentAt: number) => void;

/** An answer whose body is still coming. */
export interface HttpStream {
  readonly status: number;
  readonly headers: HttpAnswer['headers'];
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Ends the stream; to be called once, always. */
  close(): void;
  /** Says that the connection looks dead: later streams take a new one. */
  suspect(): void;
}

/** How long credentials are used before they are asked for again. */
const CREDENTIALS_TTL_MS = 10_000;
/** A line that is no longer used may end what it has begun for this long: longer than any watch. */
const RETIREMENT_MS = 330_000;

interface Pool {
  readonly key: string;
  readonly credentials: Credentials;
  calls: Line;
  watches: Line;
}

/**
 * Pooled HTTP/2 (or 1.1) connections to one API server: one line for calls and one for watches.
 * New credentials get a new pool; the old one serves what it has begun and closes.
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
  readonly #retired = new Map<Line, () => void>();
  readonly #endGuard = refuseOrphanStreams();

  /**
   * @param hearDate told the Date of each answer
   * @param answerLimit bytes of an answer that are read; more are an error
   */
  constructor(endpoint: Endpoint, clock: Clock, hearDate?: HearDate, answerLimit = Infinity) {
    const url = new URL(endpoint.server);
    this.#endpoint = endpoint;
    this.#clock = clock;
    this.#hearDate = hearDate;
    this.#answerLimit = answerLimit;
    this.#origin = url.origin;
    this.#basePath = url.pathname.replace(/\/$/, '');
  }

  /**
   * Sends one request and reads the whole answer.
   * @throws NetworkError when no complete answer comes; the signal's reason when it is aborted
   */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const deadline = new Deadline(this.#clock, request);
    try {
      const answer = await this.#dispatch(request, deadline);
      const body = await wholeBody(request.description, answer, this.#answerLimit);
      return { status: answer.statusCode, headers: answer.headers, body };
    } catch (error) {
      throw this.#failure(request, deadline, error);
    } finally {
      deadline.clear();
      deadline.leave();
    }
  }

  /** Sends one request and returns when the headers are there; the caller reads the body. */
  async open(request: HttpRequest): Promise<HttpStream> {
    const deadline = new Deadline(this.#clock, request);
    try {
      const answer = await this.#dispatch(request, deadline);
      deadline.headersCame();
      const used = deadline.line;
      return {
        status: answer.statusCode,
        headers: answer.headers,
        chunks: answer.body,
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

  /** Makes the next request ask for the credentials first, as after a 401. */
  forgetCredentials(): void {
    this.#checkedAt = -Infinity;
  }

  /** Waits for calls under way, then closes every connection; watches are cut. */
  async close(): Promise<void> {
    this.#closed = true;
    const pool = this.#pool;
    this.#pool = undefined;
    for (const [line, cancel] of this.#retired) {
      cancel();
      void line.cut();
    }
    this.#retired.clear();
    await Promise.all([pool?.watches.cut(), pool?.calls.end()]);
    this.#endGuard();
  }

  async #dispatch(request: HttpRequest, deadline: Deadline): Promise<Dispatcher.ResponseData> {
    const pool = await this.#current();
    deadline.throwIfOver();
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
    const key = JSON.stringify({ ...credentials, headers: undefined });
    const old = this.#pool;
    if (old?.key === key) {
      this.#pool = { ...old, credentials };
      return this.#pool;
    }
    this.#pool = {
      key,
      credentials,
      calls: this.#newLine(credentials),
      watches: this.#newLine(credentials),
    };
    if (old !== undefined) {
      this.#retire(old.calls);
      this.#retire(old.watches);
    }
    return this.#pool;
  }

  /**
   * Takes new connections from now on, because the present ones look dead: on HTTP/2 a request that
   * times out would otherwise leave its silent connection to the next one. Of many requests that
   * notice the same dead connection only the first changes anything.
   */
  #renew(kind: 'calls' | 'watches', used: Line | undefined): void {
    const pool = this.#pool;
    if (used === undefined || pool?.[kind] !== used || this.#closed) return;
    pool[kind] = this.#newLine(pool.credentials);
    this.#retire(used);
  }

  #newLine(credentials: Credentials): Line {
    return new Line(newDispatcher(this.#endpoint, credentials, { allowH2: true }));
  }

  #retire(line: Line): void {
    const forget = (): void => {
      this.#retired.get(line)?.();
      this.#retired.delete(line);
    };
    const cancel = this.#clock.after(RETIREMENT_MS, () => {
      forget();
      void line.cut();
    });
    this.#retired.set(line, cancel);
    void line.end().then(forget);
  }

  #failure(request: HttpRequest, deadline: Deadline, error: unknown): unknown {
    if (request.signal?.aborted === true) return request.signal.reason;
    if (deadline.over) {
      this.#renew(request.stream === true ? 'watches' : 'calls', deadline.line);
      const text = `no answer from the API server within ${request.timeoutMs} ms`;
      return new NetworkError(request.description, 'TIMEOUT', text);
    }
    return error instanceof NetworkError ? error : toNetworkError(request.description, error);
  }
}
