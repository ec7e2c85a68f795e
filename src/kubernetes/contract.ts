import type { Clock } from './clock.ts';
import type { Limits } from './limits.ts';
import type { RateLimit } from './limiter.ts';
import type { KubernetesObject } from './object.ts';
import type { ObjectKey, ResourceType } from './resources.ts';
import type { HearDate } from './transport.ts';
import type { WatchEvent } from './watch.ts';

/** How a client behaves. */
export interface ClientOptions {
  readonly clock?: Clock;
  /** Kinds beside the built-in table. */
  readonly resources?: readonly ResourceType[];
  readonly userAgent?: string;
  readonly rateLimit?: RateLimit;
  /** Deadline of a call that names none, in milliseconds. */
  readonly timeoutMs?: number;
  /** The term of the leader: when it is aborted, the client sends no write any more, and gives up those under way. */
  readonly term?: AbortSignal;
  /** Told the Date of each answer, and when (monotonic) its request was sent. */
  readonly hearDate?: HearDate;
  /** For an API server that others run. */
  readonly limits?: Limits;
}

/** Every call can be cancelled and has a deadline (milliseconds; the client's own when absent). */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Which objects of a kind. */
export interface Selection {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Only `metadata` is sent (PartialObjectMetadata). */
  readonly metadataOnly?: boolean;
}

export interface ListOptions extends CallOptions, Selection {
  readonly limit?: number;
  readonly continue?: string;
}

/** One page, or the whole when `continue` is absent. Items carry apiVersion and kind. */
export interface ListPage {
  readonly resourceVersion: string;
  readonly items: readonly KubernetesObject[];
  readonly continue?: string;
  /** Characters of the answer; of a page alone. */
  readonly size?: number;
}

export interface WatchOptions extends CallOptions, Selection {
  readonly resourceVersion: string;
  /** After this time the server ends the watch in an orderly way. */
  readonly timeoutSeconds?: number;
  /** A silent watch is given up after this time; bookmarks come about once a minute. */
  readonly silenceMs?: number;
  /** Called when the server has begun to answer. */
  readonly onOpen?: () => void;
}

export interface WriteOptions extends CallOptions {
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
  /** `status`, `scale`, `eviction`, … */
  readonly subresource?: string;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields from other managers instead of failing with 409. */
  readonly force?: boolean;
}

export interface PatchOptions extends WriteOptions {
  /** Default: merge patch for an object, JSON patch for a list. */
  readonly patchType?: 'merge' | 'json';
}

export interface DeleteOptions extends CallOptions {
  /** The object is deleted only if it is still this one. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
}

/** Any path as text, whatever the status. */
export interface RawAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * One API server, raw JSON in and out. All methods throw ApiError when the server refuses and
 * NetworkError when it does not answer. Writes are validated strictly: an unknown field is an error.
 */
export interface KubernetesClient {
  /** Type of an object by apiVersion and kind. @throws Error for a kind that is in no table */
  typeOf(object: Pick<KubernetesObject, 'apiVersion' | 'kind'>): ResourceType;
  get(type: ResourceType, key: ObjectKey, options?: CallOptions): Promise<KubernetesObject>;
  /** As get, with undefined for a 404 and only for a 404. */
  find(
    type: ResourceType,
    key: ObjectKey,
    options?: CallOptions,
  ): Promise<KubernetesObject | undefined>;
  listPage(type: ResourceType, options?: ListOptions): Promise<ListPage>;
  /** All pages; begins anew when a page's continue token has expired. */
  list(type: ResourceType, options?: ListOptions): Promise<ListPage>;
  watch(type: ResourceType, options: WatchOptions): AsyncGenerator<WatchEvent>;
  create(object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  /** PUT; with `metadata.resourceVersion` it fails with 409 on any change in between. */
  replace(object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  /** Server-side apply of the full intent. */
  apply(object: KubernetesObject, options: ApplyOptions): Promise<KubernetesObject>;
  patch(
    type: ResourceType,
    key: ObjectKey,
    patch: object,
    options?: PatchOptions,
  ): Promise<KubernetesObject>;
  delete(type: ResourceType, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  /** GET of any path, such as /readyz or /version. No retries; a status of 400 and above is no error. */
  raw(path: string, options?: CallOptions): Promise<RawAnswer>;
  /** Waits for calls under way and closes all connections. */
  close(): Promise<void>;
}
