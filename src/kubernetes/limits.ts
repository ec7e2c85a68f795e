/** Bounds of what is read from API servers that others run: none of them may fill the operator's memory. */
import { StringDecoder } from 'node:string_decoder';
import type { Dispatcher } from 'undici';
import { ApiError, NetworkError } from './errors.ts';
import type { ResourceType } from './resources.ts';

/** All in bytes, but for watches in characters. */
export interface Limits {
  /** One answer; one page of a list. */
  readonly answer: number;
  /** All pages of a list. */
  readonly list: number;
  /** One line of a watch. */
  readonly line: number;
  /** One watch, from its beginning to its end. */
  readonly watch: number;
}

const MIB = 1_048_576;

/**
 * A page has at most 500 objects; nodes and pods have 10 to 30 KiB, and no object of etcd more than 1.5 MiB by default.
 * A watch lasts five minutes, in which 5,000 nodes report their status once.
 */
export const HOST_LIMITS: Limits = {
  answer: 64 * MIB,
  list: 256 * MIB,
  line: 8 * MIB,
  watch: 256 * MIB,
};

/** What the operator puts into a control plane has less than 2 MiB in all. */
export const CONTROL_PLANE_LIMITS: Limits = {
  answer: 16 * MIB,
  list: 64 * MIB,
  line: 8 * MIB,
  watch: 64 * MIB,
};

/** Only single objects are read from a member cluster. */
export const MEMBER_LIMITS: Limits = { answer: 4 * MIB, list: 4 * MIB, line: 0, watch: 0 };

/** For the API server of the operator's own cluster. */
export const NO_LIMITS: Limits = {
  answer: Infinity,
  list: Infinity,
  line: Infinity,
  watch: Infinity,
};

/** The reason of a refusal is short; of a longer one nothing is used. */
export const ERROR_BYTES = MIB;

/** Code of an answer that is larger than its bound. */
const TOO_LARGE = 'TOO_LARGE';

/** An answer that is larger than its bound. */
export const tooLarge = (request: string, what: string, limit: number): NetworkError =>
  new NetworkError(
    request,
    TOO_LARGE,
    `${what} is larger than the ${Math.round(limit / MIB)} MiB that the operator reads from this API server; remove what made it grow`,
  );

/**
 * Reads a body as text.
 * @returns undefined when it is longer than the limit; the rest is not read
 */
export async function boundedText(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<string | undefined> {
  const decoder = new StringDecoder('utf8');
  const parts: string[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > limit) return undefined;
    parts.push(decoder.write(Buffer.from(chunk)));
  }
  return parts.join('') + decoder.end();
}

/**
 * The body of an answer. The rest of one that is too long is not read: its connection, or the stream on it, ends.
 * @throws NetworkError when it is longer than the limit; of a refusal that is so long nothing is used
 */
export async function wholeBody(
  request: string,
  { statusCode, body }: Dispatcher.ResponseData,
  limit: number,
): Promise<string> {
  const refused = statusCode >= 400;
  const text = await boundedText(body, refused ? ERROR_BYTES : limit);
  if (text !== undefined) return text;
  body.on('error', () => undefined).destroy();
  if (refused) return '';
  throw tooLarge(request, 'the answer', limit);
}

/** Whether something is larger than its bound. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof NetworkError && error.code === TOO_LARGE;

/** What is too large is read again after this time, in milliseconds: it costs much, and only its owner can change it. */
const TOO_LARGE_PAUSE_MS = 60_000;

/** How long to wait at least before the same is read again. */
export function retryPauseMs(error: unknown): number {
  if (error instanceof ApiError) return (error.retryAfterSeconds ?? 0) * 1_000;
  return isTooLarge(error) ? TOO_LARGE_PAUSE_MS : 0;
}

/** What one cache keeps, so that it cannot grow without end. */
export class Kept {
  readonly #limit: number;
  readonly #what: string;
  readonly #sizes = new Map<string, number>();
  #sum = 0;

  /** @param limit characters of JSON @param what names the objects */
  constructor(limit: number, what: string) {
    this.#limit = limit;
    this.#what = what;
  }

  /** @throws NetworkError when the objects together are larger than the limit */
  put(key: string, object: object): void {
    const size = JSON.stringify(object).length;
    if (this.#sum - (this.#sizes.get(key) ?? 0) + size > this.#limit)
      throw tooLarge(`keep ${this.#what}`, 'all of them together', this.#limit);
    this.delete(key);
    this.#sizes.set(key, size);
    this.#sum += size;
  }

  delete(key: string): void {
    this.#sum -= this.#sizes.get(key) ?? 0;
    this.#sizes.delete(key);
  }
}

export interface KeptOptions {
  readonly type: ResourceType;
  /** Characters of JSON that a cache keeps; more are a fault. */
  readonly keptBytes?: number;
}

/** What a cache keeps; undefined without a bound. */
export const keptOf = ({ type, keptBytes }: KeptOptions): Kept | undefined =>
  keptBytes === undefined ? undefined : new Kept(keptBytes, type.plural);

/** Characters that one cache of a host, or of a control plane, keeps of its kind. */
export const HOST_KEPT = 64 * MIB;
export const CONTROL_PLANE_KEPT = 16 * MIB;
