import { sleep, type Clock } from '../time/clock.ts';
import { ApiError, NetworkError, parseJson, toApiError } from './errors.ts';
import { UNTRUSTED } from '../../untrusted/limits.ts';
import { boundedText } from './limits.ts';
import type { RateLimiter } from '../fairness/limiter.ts';
import { follow } from '../connection/link-signals.ts';
import { paced, unbounded, type BeginReading, type Reading } from './long-responses.ts';
import type { Term } from '../time/term.ts';
import type { HttpAnswer, HttpRequest, HttpStream } from './http.ts';
import type { Transport } from './transport.ts';

/** An HTTP request with properties for the retry rules. */
export interface Call extends HttpRequest {
  /** Whether the request is idempotent (reads, server-side apply). */
  readonly repeatable: boolean;
  /** Whether the object has secret data, whose values must not appear in errors. */
  readonly secret: boolean;
}

/** A response with its parsed JSON body. */
export interface JsonAnswer extends HttpAnswer {
  readonly content: unknown;
}

export interface SenderOptions {
  readonly limiter?: RateLimiter | undefined;
  /** See `ClientOptions`. */
  readonly term?: Term | undefined;
  /** Bounds what long responses need at once. */
  readonly begin?: BeginReading;
}

/** Methods of a transport that a sender uses. */
export type Wire = Pick<Transport, 'send' | 'open' | 'forgetCredentials'>;

const ATTEMPTS = 4;
/** Longer Retry-After values are not awaited here; the error is thrown and the work queue delays the key. */
const MAX_PAUSE_SECONDS = 5;
/** Timeout for the body of an error response to a stream request, in milliseconds. */
const REFUSAL_BODY_MS = 5_000;
const NETWORK_PAUSES_MS = [50, 250, 500];

/**
 * Sends calls with a limited number of safe retries and respects Retry-After. All calls end with the term of the leader,
 * also reads, because their callers keep the process from ending. After 429 every call can be retried,
 * because the server did not process it. After a connection error only idempotent calls and calls that were certainly
 * not sent can be retried.
 */
export class Sender {
  readonly #transport: Wire;
  readonly #clock: Clock;
  readonly #limiter: RateLimiter | undefined;
  readonly #term: Term | undefined;
  readonly #begin: BeginReading;

  constructor(transport: Wire, clock: Clock, options: SenderOptions = {}) {
    const { limiter, term, begin = unbounded } = options;
    this.#transport = transport;
    this.#clock = clock;
    this.#limiter = limiter;
    this.#term = term;
    this.#begin = begin;
  }

  /** Sends a call. @throws ApiError for status 400 and above, NetworkError without a complete response */
  send(given: Call): Promise<JsonAnswer> {
    const { call, release } = this.#inTerm(given);
    const sent = this.#repeat(call, async () => {
      await this.#limiter?.take(call.signal);
      return this.#whole(async (reading) => {
        const answer = await this.#transport.send({ ...call, reading });
        if (answer.status >= 400) throw refusal(call, answer);
        const parse = (): unknown => parseJson(call.description, answer.body);
        return { ...answer, content: await reading.parse(answer.body, parse, call.signal) };
      });
    });
    return sent.finally(release);
  }

  /** Reads a response, which counts as long as it is read and parsed. */
  async #whole<T>(read: (reading: Reading) => Promise<T>): Promise<T> {
    const reading = this.#begin();
    try {
      return await read(reading);
    } finally {
      reading.end();
    }
  }

  /** Sends a request once. @returns the response with any status */
  raw(request: HttpRequest): Promise<HttpAnswer> {
    const { call, release } = this.#inTerm(request);
    const sent = this.#whole((reading) => this.#transport.send({ ...call, reading }));
    return sent.finally(release);
  }

  /** Like `send`, but returns the response as a stream. */
  async open(given: Call): Promise<HttpStream> {
    const { call, release } = this.#inTerm(given);
    try {
      const stream = await this.#repeat(call, () => this.#openOnce(call));
      const close = (): void => {
        release();
        stream.close();
      };
      return { ...stream, close, signal: call.signal };
    } catch (error) {
      release();
      throw error;
    }
  }

  async #openOnce(call: Call): Promise<HttpStream> {
    const stream = await this.#transport.open(call);
    if (stream.status < 400) return stream;
    const giveUp = this.#clock.after(REFUSAL_BODY_MS, () => stream.close());
    const read = await this.#whole((reading) => {
      const chunks = paced(stream.chunks, (bytes) => reading.add(bytes, call.signal));
      return boundedText(chunks, UNTRUSTED.errorBody);
    }).catch(() => undefined);
    giveUp();
    stream.close();
    const body = read !== undefined && 'text' in read ? read.text : '';
    throw refusal(call, { ...stream, body });
  }

  #inTerm<R extends HttpRequest>(request: R): { readonly call: R; readonly release: () => void } {
    const term = this.#term;
    if (term === undefined) return { call: request, release: () => undefined };
    const ended = new AbortController();
    const leave = term.onEnd((reason) => ended.abort(reason));
    const release = follow(ended, request.signal);
    const releaseAll = (): void => {
      leave();
      release();
    };
    return { call: { ...request, signal: ended.signal, term }, release: releaseAll };
  }

  async #repeat<T>(call: Call, attempt: () => Promise<T>): Promise<T> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await attempt();
      } catch (error) {
        const pause = tried < ATTEMPTS ? this.#pauseMs(call, error, tried) : undefined;
        if (pause === undefined) throw error;
        await sleep(this.#clock, pause, call.signal);
        call.signal?.throwIfAborted();
      }
    }
  }

  /** Pause before the next attempt in milliseconds; undefined if the call must not be retried. */
  #pauseMs(call: Call, error: unknown, tried: number): number | undefined {
    if (error instanceof NetworkError) return pauseAfterFault(call, error, tried);
    if (!(error instanceof ApiError)) return undefined;
    return error.code === 401 ? this.#pauseAfter401(tried) : pauseAfterRefusal(call, error);
  }

  /** Retries once with reloaded credentials, because they may have been rotated. */
  #pauseAfter401(tried: number): number | undefined {
    if (tried > 1) return undefined;
    this.#transport.forgetCredentials();
    return 0;
  }
}

function pauseAfterFault(call: Call, error: NetworkError, tried: number): number | undefined {
  const safe = call.repeatable || !error.maybeSent;
  return safe && error.transient ? NETWORK_PAUSES_MS[tried - 1] : undefined;
}

function pauseAfterRefusal(call: Call, error: ApiError): number | undefined {
  const seconds = error.retryAfterSeconds;
  if (seconds === undefined || seconds > MAX_PAUSE_SECONDS) return undefined;
  const untouched = error.code === 429 || (error.code === 503 && call.repeatable);
  return untouched ? seconds * 1000 : undefined;
}

function refusal(call: Call, answer: HttpAnswer): ApiError {
  const header = answer.headers['retry-after'];
  return toApiError(call.description, {
    code: answer.status,
    body: answer.body,
    secret: call.secret,
    ...(typeof header === 'string' ? { retryAfter: header } : {}),
  });
}
