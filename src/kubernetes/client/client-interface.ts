import type { Clock } from '../time/clock.ts';
import type { OnCall } from './finished-call.ts';
import type { Limits } from './limits.ts';
import type { LongResponses } from './long-responses.ts';
import type { RateLimit } from '../fairness/limiter.ts';
import type { KubernetesObject } from '../objects/object.ts';
import type { ObjectKey, ResourceType } from '../objects/resources.ts';
import type { Term } from '../time/term.ts';
import type { HearDate } from './http.ts';
import type { WatchEvent } from './watch.ts';

/** Options of a client. */
export interface ClientOptions {
  readonly clock?: Clock;
  /** Kinds in addition to the built-in table. */
  readonly resources?: readonly ResourceType[];
  readonly userAgent?: string;
  readonly rateLimit?: RateLimit;
  /** Default timeout of a call in milliseconds. */
  readonly timeoutMs?: number;
  /** Term of the leader. After its end, the client sends no calls and aborts those in progress. */
  readonly term?: Term;
  /** Called with the Date header of each response and the monotonic time of its request. */
  readonly hearDate?: HearDate;
  readonly onCall?: OnCall;
  /** Size limits of responses, for an API server that is not trusted. */
  readonly limits?: Limits;
  /** Bounds what responses and events need at once. */
  readonly responses?: Pick<LongResponses, 'of' | 'keep'>;
}

/** Options of a call: abort signal and timeout (milliseconds; defaults to the timeout of the client). */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Selects objects of a kind. */
export interface Selection {
  /** All namespaces when absent. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** If true, the API server sends only `metadata` (PartialObjectMetadata). */
  readonly metadataOnly?: boolean;
}

export interface ListOptions<T extends KubernetesObject = KubernetesObject>
  extends CallOptions, Selection {
  /** Number of objects of the first page of `list`; later ones follow the size of the objects. Defaults to 500. */
  readonly pageSize?: number;
  /** Creates the transform of a `list`. If the list begins anew, it needs another one. */
  readonly transform?: () => ListTransform<T>;
  /** Maximum length of all pages of `list` in characters. Defaults to the limit of the client. */
  readonly maxBytes?: number;
}

/** Reduces the objects of a list, so that the whole list is never in memory. Its errors end the list. */
export interface ListTransform<T extends KubernetesObject = KubernetesObject> {
  /** Reduces an object as soon as its page has arrived, or leaves it out. */
  reduce(object: T): T | undefined;
  /** Called after each page with all reduced objects so far. @returns those that are still to be kept */
  retain?(items: T[]): T[];
  /** Characters of all reduced objects, if a reconcile keeps them. */
  kept?(): number;
}

/** Selects a page by its number of objects and the token of the previous page. */
export interface PageOptions extends CallOptions, Selection {
  readonly limit?: number;
  readonly continue?: string;
  /** Maximum length of the page in bytes, if it is below that of the client. */
  readonly maxBytes?: number;
}

/** One page or a complete list; more pages follow if `continue` is set. Items have apiVersion and kind. */
export interface ListPage<T extends KubernetesObject = KubernetesObject> {
  readonly resourceVersion: string;
  readonly items: readonly T[];
  readonly continue?: string;
  /** Length of the response in characters; only set for a single page. */
  readonly size?: number;
}

export interface WatchOptions extends CallOptions, Selection {
  readonly resourceVersion: string;
  /** Time after which the API server closes the watch. */
  readonly timeoutSeconds?: number;
  /** Time without data after which the watch fails, in milliseconds. Bookmarks arrive about once a minute. */
  readonly silenceMs?: number;
  /** Called when the response headers arrive. */
  readonly onOpen?: () => void;
}

export interface WriteOptions extends CallOptions {
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
  /** `status`, `scale`, `eviction`, … */
  readonly subresource?: string;
  /** Type of the object that has the subresource, if the body has another one. Only for `create`. */
  readonly parent?: ResourceType;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** If true, takes ownership of fields of other managers instead of failing with 409. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  /** Preconditions: delete only the object with this uid and version. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
}

/** A written object as the API server returns it: with more fields than were sent. */
export type Stored<T extends KubernetesObject> = T & KubernetesObject;

/** Response as text with any HTTP status. */
export interface RawAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Client of one API server that uses raw JSON objects. Metadata and the fields that a kind declares (kinds.ts) have their types, also if
 * the API server is not trusted; code that reads other fields checks them itself. All methods throw ApiError when the server returns an
 * error, and NetworkError when there is no response, or one of another type. Writes use strict field validation, so an unknown field is an error.
 */
export interface KubernetesClient {
  /** Resource type of an object by apiVersion and kind. @throws Error for an unknown kind */
  typeOf(object: Pick<KubernetesObject, 'apiVersion' | 'kind'>): ResourceType;
  get<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    options?: CallOptions,
  ): Promise<T>;
  /** Like get, but returns undefined for a 404. */
  find<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    options?: CallOptions,
  ): Promise<T | undefined>;
  listPage<T extends KubernetesObject>(
    type: ResourceType<T>,
    options?: PageOptions,
  ): Promise<ListPage<T>>;
  /** Lists all pages, see `listAll`. */
  list<T extends KubernetesObject>(
    type: ResourceType<T>,
    options?: ListOptions<T>,
  ): Promise<ListPage<T>>;
  watch<T extends KubernetesObject>(
    type: ResourceType<T>,
    options: WatchOptions,
  ): AsyncIterable<WatchEvent<T>>;
  create<T extends KubernetesObject>(object: T, options?: WriteOptions): Promise<Stored<T>>;
  /** PUT. With `metadata.resourceVersion` it fails with 409 if the object changed since. */
  replace<T extends KubernetesObject>(object: T, options?: WriteOptions): Promise<Stored<T>>;
  /** Server-side apply of the full intent. */
  apply<T extends KubernetesObject>(object: T, options: ApplyOptions): Promise<Stored<T>>;
  /** @param patch merge patch, or a list for a JSON patch */
  patch<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: object,
    options?: WriteOptions,
  ): Promise<T>;
  delete(type: ResourceType, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  /** GET of any path, such as /readyz or /version. Does not retry; HTTP errors are returned, not thrown. */
  raw(path: string, options?: CallOptions): Promise<RawAnswer>;
  /** Waits for calls in progress and closes all connections. */
  close(): Promise<void>;
}
