/** Size limits for data from API servers that are not trusted, so that no server can exhaust the operator memory. */
import { StringDecoder } from 'node:string_decoder';
import type { Dispatcher } from 'undici';
import { TextCollector } from '../untrusted/collect-text.ts';
import { JsonStructure } from '../untrusted/json-structure.ts';
import { JSON_DEPTH, sizeText, UNTRUSTED } from '../untrusted/limits.ts';
import { ApiError, NetworkError } from './errors.ts';
import type { ResourceType } from './resources.ts';

/** Size limits in bytes; lines of a watch are limited in characters. */
export interface Limits {
  /** One response, or one page of a list. */
  readonly answer: number;
  /** All pages of a list. */
  readonly list: number;
  /** One line of a watch. */
  readonly line: number;
  /** All data of one watch. */
  readonly watch: number;
}

const MIB = 1_048_576;

/**
 * Limits for a host cluster. A page has at most 500 objects. Nodes and Pods have 10 to 30 KiB, and etcd limits an
 * object to 1.5 MiB by default. A watch lasts five minutes, in which 5,000 Nodes report their status once.
 */
export const HOST_LIMITS: Limits = {
  answer: 64 * MIB,
  list: 256 * MIB,
  line: 8 * MIB,
  watch: 256 * MIB,
};

/** Limits for a Karmada control plane. All objects of the operator in it have less than 2 MiB. */
export const CONTROL_PLANE_LIMITS: Limits = {
  answer: 16 * MIB,
  list: 64 * MIB,
  line: 8 * MIB,
  watch: 64 * MIB,
};

/** Limits for a member cluster, from which the operator only reads single objects. */
export const MEMBER_LIMITS: Limits = { answer: 4 * MIB, list: 4 * MIB, line: 0, watch: 0 };

/** No limits, for the API server of the management cluster. */
export const NO_LIMITS: Limits = {
  answer: Infinity,
  list: Infinity,
  line: Infinity,
  watch: Infinity,
};

/**
 * Bytes of a limit for each value of JSON: an object, a member or an item. Objects of Kubernetes have 10 to 30 bytes for each.
 * A parsed value needs up to 64 bytes, so without this limit `[{},{},…]` would need 20 times its size.
 */
const BYTES_PER_VALUE = 8;

/** Error code for data that exceeds a limit. */
const TOO_LARGE = 'TOO_LARGE';

/** Creates the error for data that exceeds a limit. @param excess such as `the response is larger than 4 MiB` */
export const exceeded = (request: string, excess: string): NetworkError =>
  new NetworkError(
    request,
    TOO_LARGE,
    `${excess}, the limit of the operator for this API server; reduce the number or size of the objects`,
  );

/** Creates the error for data that exceeds a limit. @param what subject of the message @param limit in bytes */
export const tooLarge = (request: string, what: string, limit: number): NetworkError =>
  exceeded(request, `${what} is larger than ${sizeText(limit)}`);

/** Checks JSON that arrives in chunks, before it is parsed. */
export class JsonGuard {
  readonly #limit: number;
  readonly #structure = new JsonStructure();
  #bytes = 0;

  /** @param limit in bytes; with Infinity nothing is checked */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns a clause about the limit that the JSON exceeds with this chunk, such as `is larger than 4 MiB`. */
  add(chunk: Uint8Array): string | undefined {
    if (this.#limit === Infinity) return undefined;
    this.#bytes += chunk.byteLength;
    if (this.#bytes > this.#limit) return `is larger than ${sizeText(this.#limit)}`;
    this.#structure.add(chunk);
    const most = this.#limit / BYTES_PER_VALUE;
    if (this.#structure.values > most) return `has more than ${most} JSON values`;
    return this.#structure.depth > JSON_DEPTH
      ? `is nested more than ${JSON_DEPTH} levels deep`
      : undefined;
  }
}

/**
 * Reads a response body as text.
 * @param limit in bytes
 * @returns a clause about the limit that the body exceeds; the rest is not read
 */
export async function boundedText(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<{ readonly text: string } | { readonly excess: string }> {
  const decoder = new StringDecoder('utf8');
  const text = new TextCollector();
  const guard = new JsonGuard(limit);
  for await (const chunk of chunks) {
    const excess = guard.add(chunk);
    if (excess !== undefined) return { excess };
    text.add(decoder.write(Buffer.from(chunk)));
  }
  return { text: text.take() + decoder.end() };
}

/**
 * Reads the body of a response. If it is too long, the operator closes the stream or connection without reading the
 * rest. An error response that is too long returns an empty text.
 * @param limit in bytes
 * @throws NetworkError when a successful response is longer than the limit
 */
export async function wholeBody(
  request: string,
  { statusCode, body }: Dispatcher.ResponseData,
  limit: number,
): Promise<string> {
  const refused = statusCode >= 400;
  const read = await boundedText(body, refused ? UNTRUSTED.errorBody : limit);
  if ('text' in read) return read.text;
  body.on('error', () => undefined).destroy();
  if (refused) return '';
  throw exceeded(request, `the response ${read.excess}`);
}

/** Whether the error reports data that exceeds a limit. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof NetworkError && error.code === TOO_LARGE;

/** Retry interval for data that exceeds a limit, in milliseconds. Reading is expensive, and only users can fix it. */
const TOO_LARGE_PAUSE_MS = 60_000;

/** Minimum pause before the next attempt in milliseconds: Retry-After, or the retry interval for oversized data. */
export function retryPauseMs(error: unknown): number {
  if (error instanceof ApiError) return (error.retryAfterSeconds ?? 0) * 1_000;
  return isTooLarge(error) ? TOO_LARGE_PAUSE_MS : 0;
}

/** Tracks the total size of the objects in one cache and enforces its limit. */
export class Kept {
  readonly #limit: number;
  readonly #what: string;
  readonly #sizes = new Map<string, number>();
  #sum = 0;

  /** @param limit in characters of JSON @param what plural name of the objects, for the error */
  constructor(limit: number, what: string) {
    this.#limit = limit;
    this.#what = what;
  }

  /** Adds or replaces an object. @throws NetworkError when all objects together exceed the limit */
  put(key: string, object: object): void {
    const size = JSON.stringify(object).length;
    if (this.#sum - (this.#sizes.get(key) ?? 0) + size > this.#limit)
      throw tooLarge(`keep ${this.#what}`, 'the total size of the cache', this.#limit);
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
  /** Maximum size of the cache in characters of JSON; unlimited when absent. */
  readonly keptBytes?: number;
}

/** Creates the size tracker of a cache; undefined without a limit. */
export const keptOf = ({ type, keptBytes }: KeptOptions): Kept | undefined =>
  keptBytes === undefined ? undefined : new Kept(keptBytes, type.plural);

/** Maximum size of one cache of a host cluster and of a control plane, in characters of JSON. */
export const HOST_KEPT = 64 * MIB;
export const CONTROL_PLANE_KEPT = 16 * MIB;
