import { checkedEvent, type WatchEvent } from './checked-response.ts';
import { ApiError, NetworkError, parseJson, toNetworkError } from './errors.ts';
import type { HttpStream } from './http.ts';
import { unbounded, type Reading } from './long-responses.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { Lines, type WatchReading } from './watch-lines.ts';

export type { WatchEvent } from './checked-response.ts';

/** Error code of a watch without data. */
const SILENT = 'SILENT';

/** Whether a watch failed only because the API server sent no data, as in a cluster without changes. */
export const isSilentWatch = (error: unknown): boolean =>
  error instanceof NetworkError && error.code === SILENT;

/**
 * Reads the events of a watch until the server ends it.
 * @throws ApiError for an ERROR event such as 410, NetworkError when the connection closes or has no data for too long
 */
export const readWatch = <T extends KubernetesObject = KubernetesObject>(
  stream: HttpStream,
  reading: WatchReading,
): AsyncIterableIterator<WatchEvent<T>> => new WatchReader(stream, reading);

/** See async-values.ts for why it is no generator. While it waits, not even a frame of a function exists. */
class WatchReader<T extends KubernetesObject> implements AsyncIterableIterator<WatchEvent<T>> {
  readonly #stream: HttpStream;
  readonly #reading: WatchReading;
  readonly #guard: SilenceGuard;
  readonly #text: Reading;
  readonly #lines: Lines;
  readonly #received = (chunk: IteratorResult<Uint8Array>): void => this.#take(chunk);
  readonly #failed = (error: unknown): void => this.#fail(error);
  #asked: PromiseWithResolvers<IteratorResult<WatchEvent<T>>> | undefined;

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

  next(): Promise<IteratorResult<WatchEvent<T>>> {
    this.#text.end();
    const asked = Promise.withResolvers<IteratorResult<WatchEvent<T>>>();
    this.#asked = asked;
    void this.#advance();
    return asked.promise;
  }

  /** Answers with the next line, or waits for a chunk without a frame of its own. Never rejects. */
  async #advance(): Promise<void> {
    try {
      const line = await this.#lines.buffered();
      if (line === undefined) this.#lines.chunk().then(this.#received, this.#failed);
      else this.#answer({ done: false, value: await this.#eventOf(line) });
    } catch (error) {
      this.#fail(error);
    }
  }

  #take(chunk: IteratorResult<Uint8Array>): void {
    try {
      if (chunk.done !== true) {
        this.#lines.add(chunk.value);
        void this.#advance();
        return;
      }
      this.#guard.check();
      this.#end();
      this.#answer({ done: true, value: undefined });
    } catch (error) {
      this.#fail(error);
    }
  }

  #answer(result: IteratorResult<WatchEvent<T>>): void {
    this.#asked?.resolve(result);
    this.#asked = undefined;
  }

  #fail(error: unknown): void {
    this.#end();
    this.#asked?.reject(this.#failure(error));
    this.#asked = undefined;
  }

  return(): Promise<IteratorResult<WatchEvent<T>>> {
    this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  async #eventOf(line: string): Promise<WatchEvent<T>> {
    const { description, type, adapt = (object) => object } = this.#reading;
    const parse = (): unknown => parseJson(description, line);
    const parsed = this.#text.parse(line, parse, this.#stream.signal);
    const event = checkedEvent<T>(description, await this.#guard.paused(parsed), type);
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
