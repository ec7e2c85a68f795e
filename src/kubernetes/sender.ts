import { sleep, type Clock } from './clock.ts';
import { ApiError, NetworkError, parseJson, toApiError } from './errors.ts';
import { boundedText, ERROR_BYTES } from './limits.ts';
import type { RateLimiter } from './limiter.ts';
import type { HttpAnswer, HttpRequest, HttpStream, Transport } from './transport.ts';

/** A request with what the retry rules need to know about it. */
export interface Call extends HttpRequest {
  /** The same request sent twice has the effect of one (reads, server-side apply). */
  readonly repeatable: boolean;
  /** The object holds secret data: no value of it may appear in an error. */
  readonly secret: boolean;
}

/** An answer with what its body says. */
export interface JsonAnswer extends HttpAnswer {
  readonly content: unknown;
}

/** What a sender needs of a transport. */
export type Wire = Pick<Transport, 'send' | 'open' | 'forgetCredentials'>;

const ATTEMPTS = 4;
/** A server that asks for a longer pause gets its answer passed on: the work queue waits, not the call. */
const LONGEST_PAUSE_SECONDS = 5;
/** How long the reason of a refused stream is waited for. */
const REFUSAL_BODY_MS = 5_000;
const NETWORK_PAUSES_MS = [50, 250, 500];

/**
 * Sends calls, obeys Retry-After and repeats what is safe to repeat, a bounded number of times.
 * 429 means the request was not begun, so everything may be repeated; after a fault of the connection
 * only what is repeatable or was certainly never sent.
 */
export class Sender {
  readonly #transport: Wire;
  readonly #clock: Clock;
  readonly #limiter: RateLimiter | undefined;

  constructor(transport: Wire, clock: Clock, limiter?: RateLimiter) {
    this.#transport = transport;
    this.#clock = clock;
    this.#limiter = limiter;
  }

  /** @throws ApiError on any status of 400 and above, NetworkError when no whole answer comes */
  send(call: Call): Promise<JsonAnswer> {
    return this.#repeat(call, async () => {
      await this.#limiter?.take(call.signal);
      const answer = await this.#transport.send(call);
      if (answer.status >= 400) throw refusal(call, answer);
      return { ...answer, content: parseJson(call.description, answer.body) };
    });
  }

  /** As `send`, for an answer that is read as it comes. */
  open(call: Call): Promise<HttpStream> {
    return this.#repeat(call, async () => {
      const stream = await this.#transport.open(call);
      if (stream.status < 400) return stream;
      const giveUp = this.#clock.after(REFUSAL_BODY_MS, () => stream.close());
      const body = (await boundedText(stream.chunks, ERROR_BYTES).catch(() => '')) ?? '';
      giveUp();
      stream.close();
      throw refusal(call, { ...stream, body });
    });
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

  /** Milliseconds to wait before the next attempt; undefined when there must be none. */
  #pauseMs(call: Call, error: unknown, tried: number): number | undefined {
    if (error instanceof NetworkError) return pauseAfterFault(call, error, tried);
    if (!(error instanceof ApiError)) return undefined;
    return error.code === 401 ? this.#pauseAfter401(tried) : pauseAfterRefusal(call, error);
  }

  /** Credentials may just have been rotated: they are read anew, once. */
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
  if (seconds === undefined || seconds > LONGEST_PAUSE_SECONDS) return undefined;
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
