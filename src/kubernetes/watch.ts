import { StringDecoder } from 'node:string_decoder';
import type { Clock } from './clock.ts';
import { ApiError, NetworkError, parseJson, toApiError, toNetworkError } from './errors.ts';
import { NO_LIMITS, tooLarge, type Limits } from './limits.ts';
import type { KubernetesObject } from './object.ts';
import type { HttpStream } from './transport.ts';

/** One event of a watch. A bookmark only has a resourceVersion. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: KubernetesObject;
}

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
  readonly signal?: AbortSignal;
  readonly limits?: Pick<Limits, 'line' | 'watch'>;
}

/**
 * Reads the events of a watch until the server ends it.
 * @throws ApiError for an ERROR event such as 410, NetworkError when the connection closes or has no data for too long
 */
export async function* readWatch(
  stream: HttpStream,
  reading: WatchReading,
): AsyncGenerator<WatchEvent> {
  const guard = new SilenceGuard(stream, reading);
  try {
    for await (const line of linesOf(stream.chunks, reading, () => guard.heard())) {
      yield parseEvent(line, reading.description);
    }
    guard.check();
  } catch (error) {
    reading.signal?.throwIfAborted();
    guard.check();
    throw error instanceof ApiError || error instanceof NetworkError
      ? error
      : toNetworkError(reading.description, error);
  } finally {
    guard.end();
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

  check(): void {
    if (!this.#silent) return;
    const text = `no data on the watch for ${this.#reading.silenceMs / 1_000} s`;
    throw new NetworkError(this.#reading.description, SILENT, text);
  }

  end(): void {
    this.#cancel();
  }
}

async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  { description, limits = NO_LIMITS }: WatchReading,
  heard: () => void,
): AsyncGenerator<string> {
  let [size, lineSize] = [0, 0];
  const decoder = new StringDecoder('utf8');
  let pending: string[] = [];
  for await (const chunk of chunks) {
    heard();
    size += chunk.byteLength;
    if (size > limits.watch) throw tooLarge(description, 'the watch', limits.watch);
    const parts = decoder.write(Buffer.from(chunk)).split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      const line = pending.join('') + part;
      pending = [];
      if (line !== '') yield line;
    }
    lineSize = (parts.length > 0 ? 0 : lineSize) + last.length;
    if (lineSize > limits.line) throw tooLarge(description, 'the watch event', limits.line);
    if (last !== '') pending.push(last);
  }
}

function parseEvent(line: string, description: string): WatchEvent {
  const event = parseJson(description, line) as { type: string; object: KubernetesObject };
  if (event.type !== 'ERROR') return event as WatchEvent;
  const status = event.object as unknown as { code?: number };
  throw toApiError(description, { code: status.code ?? 500, body: JSON.stringify(event.object) });
}
