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
}

/**
 * Reads the events of a watch until the server ends it.
 * @throws ApiError for an ERROR event such as 410, NetworkError when the connection closes or has no data for too long
 */
export async function* readWatch<T extends KubernetesObject = KubernetesObject>(
  stream: HttpStream,
  reading: WatchReading,
): AsyncGenerator<WatchEvent<T>> {
  const guard = new SilenceGuard(stream, reading);
  const { description, begin = unbounded } = reading;
  const text = begin();
  try {
    for await (const line of linesOf(stream, reading, { guard, text })) {
      const parse = (): unknown => parseJson(description, line);
      const content = await guard.paused(text.parse(line, parse, stream.signal));
      yield { ...checkedEvent<T>(description, content), size: line.length };
      text.end();
    }
    guard.check();
  } catch (error) {
    stream.signal?.throwIfAborted();
    guard.check();
    throw error instanceof ApiError || error instanceof NetworkError
      ? error
      : toNetworkError(reading.description, error);
  } finally {
    guard.end();
    text.end();
    stream.close();
  }
}

/** Closes a stream that has no data for too long. */
class SilenceGuard {
  readonly #stream: HttpStream;
  readonly #reading: WatchReading;
  #cancel: () => void = () => undefined;
  #silent = false;

  constructor(stream: HttpStream, reading: WatchReading) {
    this.#stream = stream;
    this.#reading = reading;
    this.heard();
  }

  heard(): void {
    this.#cancel();
    this.#cancel = this.#reading.clock.after(this.#reading.silenceMs, () => {
      this.#silent = true;
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

  check(): void {
    if (!this.#silent) return;
    const text = `no data on the watch for ${this.#reading.silenceMs / 1_000} s`;
    throw new NetworkError(this.#reading.description, SILENT, text);
  }

  end(): void {
    this.#cancel();
  }
}

interface LineTools {
  readonly guard: SilenceGuard;
  readonly text: Reading;
}

async function* linesOf(
  { chunks, signal }: Pick<HttpStream, 'chunks' | 'signal'>,
  { description, limits = LOCAL_LIMITS }: WatchReading,
  { guard: silence, text: line }: LineTools,
): AsyncGenerator<string> {
  let size = 0;
  const decoder = new StringDecoder('utf8');
  const pending = new TextCollector();
  let guard = new JsonGuard(limits.line);
  for await (const chunk of chunks) {
    // A long line must be complete within the time, because others wait for its room.
    if (!line.isLong) silence.heard();
    size += chunk.byteLength;
    if (size > limits.watch) throw tooLarge(description, 'the watch', limits.watch);
    for (const { bytes, isEnd } of linesIn(chunk)) {
      const excess = guard.add(bytes);
      if (excess !== undefined) throw exceeded(description, `the watch event ${excess}`);
      const wait = line.add(bytes.byteLength, signal);
      if (wait !== undefined) await silence.paused(wait);
      pending.add(decoder.write(bytes));
      if (!isEnd) continue;
      const text = pending.take();
      guard = new JsonGuard(limits.line);
      if (text !== '') yield text;
    }
  }
}

const NEWLINE = 0x0a;

/** Splits a chunk after line breaks, which are not part of a line. A byte of another UTF-8 character is never a line break. */
function* linesIn(chunk: Uint8Array): Generator<{ bytes: Buffer; isEnd: boolean }> {
  const rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  for (let start = 0; start < rest.length;) {
    const end = rest.indexOf(NEWLINE, start);
    yield { bytes: rest.subarray(start, end < 0 ? undefined : end), isEnd: end >= 0 };
    start = end < 0 ? rest.length : end + 1;
  }
}
