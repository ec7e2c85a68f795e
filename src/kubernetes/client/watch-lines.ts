import { StringDecoder } from 'node:string_decoder';
import { TextCollector } from '../../untrusted/collect-text.ts';
import type { Clock } from '../time/clock.ts';
import type { HttpStream } from './http.ts';
import { exceeded, JsonGuard, LOCAL_LIMITS, tooLarge, type Limits } from './limits.ts';
import type { BeginReading, Reading } from './long-responses.ts';
import type { KubernetesObject } from '../objects/object.ts';
import type { ResourceType } from '../objects/resources.ts';

/** Options for reading a watch. */
export interface WatchReading {
  readonly description: string;
  readonly clock: Clock;
  /** Time without data after which the watch fails, in milliseconds. */
  readonly silenceMs: number;
  readonly limits?: Pick<Limits, 'line' | 'watch'>;
  /** Bounds what long events need at once. */
  readonly begin?: BeginReading;
  /** Type of the objects, if they have more than metadata. */
  readonly type?: ResourceType;
  /** Changes the object of each event. */
  readonly adapt?: <T extends KubernetesObject>(object: T) => T;
}

interface LineTools {
  /** Closes a stream that has no data for too long. */
  readonly guard: { heard(): void; paused(wait: Promise<void>): Promise<void> };
  readonly text: Reading;
}

/** Lines of a stream, without empty ones. */
export class Lines {
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

  /** Returns the next line that has arrived, if there is one. @throws NetworkError when a limit is exceeded */
  async buffered(): Promise<string | undefined> {
    while (this.#rest !== undefined) {
      const line = await this.#lineOfRest(this.#rest);
      if (line !== undefined && line !== '') return line;
    }
    return undefined;
  }

  /** Waits for the next chunk. @throws errors of the stream */
  chunk(): Promise<IteratorResult<Uint8Array>> {
    return this.#chunks.next();
  }

  #newGuard(): JsonGuard {
    return new JsonGuard((this.#reading.limits ?? LOCAL_LIMITS).line);
  }

  /** Adds the next chunk. @throws NetworkError when the watch is too long */
  add(value: Uint8Array): void {
    const { description, limits = LOCAL_LIMITS } = this.#reading;
    const { guard, text } = this.#tools;
    // A long line must be complete within the time, because others wait for its room.
    if (!text.isLong) guard.heard();
    this.#size += value.byteLength;
    if (this.#size > limits.watch) throw tooLarge(description, 'the watch', limits.watch);
    this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }

  /** @returns a line that is complete */
  async #lineOfRest(rest: Buffer): Promise<string | undefined> {
    const end = rest.indexOf(NEWLINE);
    const bytes = rest.subarray(0, end < 0 ? undefined : end);
    this.#rest = end < 0 || end + 1 === rest.length ? undefined : rest.subarray(end + 1);
    await this.#collect(bytes);
    if (end < 0) return undefined;
    this.#guard = this.#newGuard();
    return this.#pending.take();
  }

  async #collect(bytes: Buffer): Promise<void> {
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
