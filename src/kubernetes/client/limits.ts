/** Size limits for data from API servers that are not trusted, so that no server can exhaust the operator memory. */
import type { Dispatcher } from 'undici';
import { textUnless } from '../../untrusted/collect-text.ts';
import { JsonStructure } from '../../untrusted/json-structure.ts';
import { JSON_DEPTH, sizeText, UNTRUSTED } from '../../untrusted/limits.ts';
import { ApiError, NetworkError } from './errors.ts';

/** Size limits in bytes; lines of a watch are limited in characters. */
export interface Limits {
  /** One response, or one page of a list. */
  readonly answer: number;
  /** All pages of a list. */
  readonly list: number;
  /** All pages of a list without a transform, whose objects are all in memory at once; defaults to `list`. */
  readonly unreduced?: number;
  /** One line of a watch. */
  readonly line: number;
  /** All data of one watch. */
  readonly watch: number;
}

const MIB = 1_048_576;

/** See `Limits.unreduced`. A namespace has up to 32 reconciles, and each of them may have some such lists. */
const UNREDUCED = 8 * MIB;

/**
 * Limits for a host cluster. A page has at most 500 objects. Nodes and Pods have 10 to 30 KiB, and etcd limits an
 * object to 1.5 MiB by default. The thread does nothing else while it parses a response: 8 MiB take 0.2 s, and 64 MiB 1.7 s. A
 * watch lasts five minutes, in which 5,000 Nodes report their status once. Its limit is for an API server that ignores which
 * namespaces it must leave out; that of a namespace is lower.
 */
export const HOST_LIMITS: Limits = {
  answer: 8 * MIB,
  list: 256 * MIB,
  unreduced: UNREDUCED,
  line: 8 * MIB,
  watch: 1_024 * MIB,
};

/** Limits for a Karmada control plane. All objects of the operator in it, CRDs included, together have less than 2 MiB. */
export const CONTROL_PLANE_LIMITS: Limits = {
  answer: 8 * MIB,
  list: 64 * MIB,
  unreduced: UNREDUCED,
  line: 8 * MIB,
  watch: 64 * MIB,
};

/**
 * Limits for a member cluster, from which the operator only reads a Namespace, and the ServiceAccount of an estimator with its role
 * and its token. A control plane reads 8 members at once, and there are many control planes.
 */
export const MEMBER_LIMITS: Limits = { answer: MIB / 4, list: 0, line: 0, watch: 0 };

/**
 * Limits for the management cluster, whose API server is trusted, but not the authors of its objects. An API server accepts
 * objects of 3 MiB, which are up to six times as long in JSON, where each control character takes six bytes.
 */
export const LOCAL_LIMITS: Limits = {
  answer: 64 * MIB,
  list: 256 * MIB,
  line: 24 * MIB,
  watch: Infinity,
};

/** The same for the operator, which reads lists of many namespaces at once. */
export const OPERATOR_LIMITS: Limits = { ...LOCAL_LIMITS, unreduced: UNREDUCED };

/**
 * Bytes of a limit for each value of JSON: an object, a member or an item. Objects of Kubernetes have 10 to 30 bytes for each.
 * A parsed value needs up to 64 bytes, so without this limit `[{},{},…]` would need 20 times its size.
 */
const BYTES_PER_VALUE = 8;

/**
 * Maximum length of a page of a list, in bytes, unless it has a single object. A longer page is requested again with fewer
 * objects, so that only a few MiB are in memory at once.
 */
export const PAGE_BYTES = 8 * MIB;

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

/** Creates the error of a cache that is emptied because all caches of the process together need too much memory. */
export const outOfMemory = (request: string): NetworkError =>
  new NetworkError(
    request,
    TOO_LARGE,
    'all caches of the operator together need too much memory, and this part the most; reduce the number or size of the objects',
  );

/**
 * Reads a response body as text.
 * @param limit in bytes
 * @returns a clause about the limit that the body exceeds; the rest is not read
 */
export function boundedText(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<{ readonly text: string } | { readonly excess: string }> {
  const guard = new JsonGuard(limit);
  return textUnless(chunks, (chunk) => guard.add(chunk));
}

/**
 * Reads the body of a response. If it is too long, the operator closes the stream or connection without reading the
 * rest. An error response that is too long returns an empty text.
 * @param limit in bytes
 * @param chunks of the body
 * @throws NetworkError when a successful response is longer than the limit
 */
export async function wholeBody(
  request: string,
  { statusCode, body }: Dispatcher.ResponseData,
  limit: number,
  chunks: AsyncIterable<Uint8Array> = body,
): Promise<string> {
  const refused = statusCode >= 400;
  const read = await boundedText(chunks, refused ? UNTRUSTED.errorBody : limit);
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

/** Maximum size of all caches of a control plane together, in characters of JSON. */
export const CONTROL_PLANE_KEPT = 16 * MIB;

/** Maximum size of the results of writes to a control plane that its caches lack, in characters of JSON. */
export const CONTROL_PLANE_WRITTEN = 4 * MIB;

/** The same for a remote host cluster, which may have many control planes. */
export const HOST_WRITTEN = 16 * MIB;

/** Maximum size of the cached Nodes, StorageClasses and Namespaces of a remote host cluster together, in characters of JSON. */
export const HOST_CLUSTER_SCOPED = 16 * MIB;
