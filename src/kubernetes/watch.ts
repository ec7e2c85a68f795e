import { StringDecoder } from 'node:string_decoder';
import { checkedEvent, type WatchEvent } from './checked-response.ts';
import type { Clock } from './clock.ts';
import { ApiError, NetworkError, parseJson, toNetworkError } from './errors.ts';
import { TextCollector } from '../untrusted/collect-text.ts';
import { exceeded, JsonGuard, LOCAL_LIMITS, tooLarge, type Limits } from './limits.ts';
import type { HttpStream } from './http.ts';
import { unbounded, type BeginReading, type Reading } from './long-responses.ts';
import type { KubernetesObject } from './object.ts';

export type { WatchEvent } from './checked-response.ts';

/** Error code of a watch without data. */
const SILENT = 'SILENT';

/** Whether a watch failed only because the API server sent no data, as in a cluster without changes. */
export const isSilentWatch = (error: unknown): boolean =>
  error instanceof NetworkError && error.code === SILENT;

/** Options for reading a watch. */
export interface WatchReading {
  readonly description: string;
  readonly clock: Clock;
  /** Time without data after which the watch fails, in milliseconds. */
  readonly silenceMs: number;
  readonly limits?: Pick<Limits, 'line' | 'watch'>;
  /** Bounds what long events need at once. */
  readonly begin?: BeginReading;
  /** Changes the object of each event. */
  readonly adapt?: <T extends KubernetesObject>(object: T) => T;
}

/**
 * Reads the events of a watch until the server ends it.
 * @throws ApiError for an ERROR event such as 410, NetworkError when the connection closes or has no data for too long
 */
export const readWatch = <T extends KubernetesObject = KubernetesObject>(
  stream: HttpStream,
  reading: WatchReading,
): AsyncIterableIterator<WatchEvent<T>> => new WatchReader(stream, reading);

/** See async-values.ts for why it is no generator. */
class WatchReader<T extends KubernetesObject> implements AsyncIterableIterator<WatchEvent<T>> {
  readonly #stream: HttpStream;
  readonly #reading: WatchReading;
  readonly #guard: SilenceGuard;
  readonly #text: Reading;
  readonly #lines: Lines;

  constructor(stream: HttpStream, reading: WatchReading) {
    const { begin = unbounded } = reading;
    this.#stream = stream;
    this.#reading = reading;
    this.#guard = new SilenceGuard(stream, reading);
    this.#text = begin();
    this.#lines = new Lines(stream, reading, { guard: this.#guard, text: this.#text });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<WatchEvent<T>>> {
    this.#text.end();
    try {
      const line = await this.#lines.next();
      if (line !== undefined) return { done: false, value: await this.#eventOf(line) };
      this.#guard.check();
    } catch (error) {
      this.#end();
      throw this.#failure(error);
    }
    return this.return();
  }

  return(): Promise<IteratorResult<WatchEvent<T>>> {
    this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  async #eventOf(line: string): Promise<WatchEvent<T>> {
    const { description, adapt = (object) => object } = this.#reading;
    const parse = (): unknown => parseJson(description, line);
    const parsed = this.#text.parse(line, parse, this.#stream.signal);
    const event = checkedEvent<T>(description, await this.#guard.paused(parsed));
    return { ...event, object: adapt(event.object), size: line.length };
  }

  #failure(error: unknown): unknown {
    const { signal } = this.#stream;
    if (signal?.aborted === true) return signal.reason;
    if (this.#guard.isSilent) return this.#guard.error;
    const isKnown = error instanceof ApiError || error instanceof NetworkError;
    return isKnown ? error : toNetworkError(this.#reading.description, error);
  }

  #end(): void {
    this.#guard.end();
    this.#text.end();
    this.#stream.close();
  }
}

/** Closes a stream that has no data for too long. */
class SilenceGuard {
  readonly #stream: HttpStream;
  readonly #reading: WatchReading;
  #cancel: () => void = () => undefined;
  isSilent = false;

  constructor(stream: HttpStream, reading: WatchReading) {
    this.#stream = stream;
    this.#reading = reading;
    this.heard();
  }

  heard(): void {
    this.#cancel();
    this.#cancel = this.#reading.clock.after(this.#reading.silenceMs, () => {
      this.isSilent = true;
      this.#stream.suspect();
      this.#stream.close();
    });
  }

  /** Stops the time while the watch waits for the operator, and not for the server. @throws errors of `wait` */
  async paused<T>(wait: T | Promise<T>): Promise<T> {
    if (!(wait instanceof Promise)) return wait;
    this.#cancel();
    const result = await wait;
    this.heard();
    return result;
  }

  get error(): NetworkError {
    const text = `no data on the watch for ${this.#reading.silenceMs / 1_000} s`;
    return new NetworkError(this.#reading.description, SILENT, text);
  }

  /** @throws NetworkError if there was no data for too long */
  check(): void {
    if (this.isSilent) throw this.error;
  }

  end(): void {
    this.#cancel();
  }
}

interface LineTools {
  readonly guard: SilenceGuard;
  readonly text: Reading;
}

/** Lines of a stream, without empty ones. */
class Lines {
  readonly #reading: WatchReading;
  readonly #tools: LineTools;
  readonly #signal: AbortSignal | undefined;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #decoder = new StringDecoder('utf8');
  readonly #pending = new TextCollector();
  #guard: JsonGuard;
  #size = 0;
  /** Rest of the last chunk. */
  #rest: Buffer | undefined;

  constructor(
    { chunks, signal }: Pick<HttpStream, 'chunks' | 'signal'>,
    reading: WatchReading,
    tools: LineTools,
  ) {
    this.#reading = reading;
    this.#tools = tools;
    this.#signal = signal;
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#guard = this.#newGuard();
  }

  /** Waits for the next line; undefined at the end. @throws NetworkError when a limit is exceeded; errors of the stream */
  async next(): Promise<string | undefined> {
    while (this.#rest !== undefined || (await this.#receive())) {
      const line = await this.#lineOfRest();
      if (line !== undefined && line !== '') return line;
    }
    return undefined;
  }

  #newGuard(): JsonGuard {
    return new JsonGuard((this.#reading.limits ?? LOCAL_LIMITS).line);
  }

  /** @returns whether there is another chunk */
  async #receive(): Promise<boolean> {
    const { value, done } = await this.#chunks.next();
    if (done === true) return false;
    const { description, limits = LOCAL_LIMITS } = this.#reading;
    const { guard, text } = this.#tools;
    // A long line must be complete within the time, because others wait for its room.
    if (!text.isLong) guard.heard();
    this.#size += value.byteLength;
    if (this.#size > limits.watch) throw tooLarge(description, 'the watch', limits.watch);
    this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return true;
  }

  /** @returns a line that is complete */
  async #lineOfRest(): Promise<string | undefined> {
    const rest = this.#rest ?? Buffer.alloc(0);
    const end = rest.indexOf(NEWLINE);
    const bytes = rest.subarray(0, end < 0 ? undefined : end);
    this.#rest = end < 0 || end + 1 === rest.length ? undefined : rest.subarray(end + 1);
    await this.#add(bytes);
    if (end < 0) return undefined;
    this.#guard = this.#newGuard();
    return this.#pending.take();
  }

  async #add(bytes: Buffer): Promise<void> {
    const { guard, text } = this.#tools;
    const excess = this.#guard.add(bytes);
    if (excess !== undefined)
      throw exceeded(this.#reading.description, `the watch event ${excess}`);
    const wait = text.add(bytes.byteLength, this.#signal);
    if (wait !== undefined) await guard.paused(wait);
    this.#pending.add(this.#decoder.write(bytes));
  }
}

/** Ends a line. A byte of another UTF-8 character is never a line break. */
const NEWLINE = 0x0a;
