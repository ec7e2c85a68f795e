import { openedLater } from '../time/async-values.ts';
import { systemClock } from '../time/clock.ts';
import type { Endpoint } from '../connection/connection.ts';
import { isNotFound } from './errors.ts';
import { RateLimiter } from '../fairness/limiter.ts';
import { LOCAL_LIMITS, PAGE_BYTES, type Limits } from './limits.ts';
import { unbounded, type LongResponses } from './long-responses.ts';
import { listWithin } from './list-within.ts';
import type { KubernetesObject } from '../objects/object.ts';
import {
  asType,
  collectionOf,
  deleteOptions,
  selectionOf,
  toCall,
  toPage,
  watchQuery,
  write,
  type Request,
} from './request.ts';
import { keyOf, typeOf, type ObjectKey, type ResourceType } from '../objects/resources.ts';
import { observedWire } from './observed-wire.ts';
import { Sender, type Call, type JsonAnswer } from './sender.ts';
import { Transport } from './transport.ts';
import { checkedFields, checkedList, checkedObject } from './checked-response.ts';
import { readWatch, type WatchEvent } from './watch.ts';
import type { WatchReading } from './watch-lines.ts';
import type {
  ApplyOptions,
  CallOptions,
  ClientOptions,
  DeleteOptions,
  KubernetesClient,
  ListOptions,
  ListPage,
  PageOptions,
  RawAnswer,
  Stored,
  WatchOptions,
  WriteOptions,
} from './client-interface.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
const PAGE_SIZE = 500;
/** Creates a client of one API server with pooled connections. */
export function createClient(endpoint: Endpoint, options: ClientOptions = {}): KubernetesClient {
  return new HttpClient(endpoint, options);
}

class HttpClient implements KubernetesClient {
  readonly #transport: Transport;
  readonly #sender: Sender;
  readonly #watching: Required<Pick<WatchReading, 'clock' | 'begin'>>;
  readonly #keep: LongResponses['keep'];
  readonly #limits: Limits;
  readonly #resources: readonly ResourceType[];
  readonly #userAgent: string;
  readonly #timeoutMs: number;
  readonly #send = (request: Request): Promise<JsonAnswer> =>
    this.#sender.send(this.#call(request));

  constructor(endpoint: Endpoint, options: ClientOptions) {
    const { clock = systemClock, rateLimit, term, responses } = options;
    this.#watching = { clock, begin: responses?.of(endpoint.server) ?? unbounded };
    this.#keep = (characters, request) => responses?.keep(characters, request);
    this.#limits = options.limits ?? LOCAL_LIMITS;
    this.#transport = new Transport(endpoint, clock, options.hearDate, this.#limits.answer);
    const limiter = rateLimit && new RateLimiter(rateLimit, clock);
    const wire = observedWire(this.#transport, clock, options.onCall);
    this.#sender = new Sender(wire, clock, { limiter, term, begin: this.#watching.begin });
    this.#resources = options.resources ?? [];
    this.#userAgent = options.userAgent ?? 'kubernetes-client';
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  typeOf(object: Pick<KubernetesObject, 'apiVersion' | 'kind'>): ResourceType {
    return typeOf(object, this.#resources);
  }

  async get<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    options?: CallOptions,
  ): Promise<T> {
    return this.#object({ verb: 'get', method: 'GET', type, key, repeatable: true, options });
  }

  async find<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    options?: CallOptions,
  ): Promise<T | undefined> {
    return this.get(type, key, options).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }

  async listPage<T extends KubernetesObject>(
    type: ResourceType<T>,
    options: PageOptions = {},
  ): Promise<ListPage<T>> {
    const selection = selectionOf(options, 'List');
    const { limit = PAGE_SIZE, maxBytes = limit > 1 ? PAGE_BYTES : undefined } = options;
    const answer = await this.#send({
      verb: 'list',
      method: 'GET',
      type,
      ...selection,
      query: { ...selection.query, limit, continue: options.continue },
      repeatable: true,
      options,
      ...(maxBytes !== undefined && { maxBytes }),
    });
    const whole = options.metadataOnly === true ? undefined : type;
    const page = toPage(type, checkedList<T>(`list ${type.plural}`, answer.content, whole));
    return { ...page, size: answer.body.length };
  }

  list<T extends KubernetesObject>(
    type: ResourceType<T>,
    options: ListOptions<T> = {},
  ): Promise<ListPage<T>> {
    return listWithin(this, type, options, { limits: this.#limits, keep: this.#keep });
  }

  watch<T extends KubernetesObject>(
    type: ResourceType<T>,
    options: WatchOptions,
  ): AsyncIterable<WatchEvent<T>> {
    return openedLater(async () => {
      const selection = selectionOf(options, '');
      const call = this.#call({
        verb: 'watch',
        method: 'GET',
        type,
        ...selection,
        query: { ...selection.query, ...watchQuery(options) },
        options,
      });
      const stream = await this.#sender.open({ ...call, stream: true });
      options.onOpen?.();
      return readWatch<T>(stream, {
        description: call.description,
        ...this.#watching,
        silenceMs: options.silenceMs ?? 75_000,
        limits: this.#limits,
        ...(options.metadataOnly !== true && { type }),
        adapt: (object) => asType(type, object),
      });
    });
  }

  async create<T extends KubernetesObject>(
    object: T,
    options: WriteOptions = {},
  ): Promise<Stored<T>> {
    const type = options.parent ?? this.typeOf(object);
    return this.#object({
      verb: 'create',
      method: 'POST',
      type,
      key: collectionOf(object, options),
      body: object,
      ...write(options),
    });
  }

  async replace<T extends KubernetesObject>(
    object: T,
    options: WriteOptions = {},
  ): Promise<Stored<T>> {
    return this.#object({
      verb: 'replace',
      method: 'PUT',
      type: this.typeOf(object),
      key: keyOf(object),
      body: object,
      ...write(options),
    });
  }

  async apply<T extends KubernetesObject>(object: T, options: ApplyOptions): Promise<Stored<T>> {
    return this.#object({
      verb: 'apply',
      method: 'PATCH',
      type: this.typeOf(object),
      key: keyOf(object),
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: object,
      repeatable: true,
      ...write(options, { force: options.force ?? false }),
    });
  }

  async patch<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: object,
    options: WriteOptions = {},
  ): Promise<T> {
    const json = Array.isArray(patch);
    return this.#object({
      verb: 'patch',
      method: 'PATCH',
      type,
      key,
      headers: { 'content-type': `application/${json ? 'json-patch' : 'merge-patch'}+json` },
      body: patch,
      ...write(options),
    });
  }

  async delete(type: ResourceType, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    const body = deleteOptions(options);
    await this.#send({ verb: 'delete', method: 'DELETE', type, key, body, options });
  }

  async raw(path: string, options: CallOptions = {}): Promise<RawAnswer> {
    const answer = await this.#sender.raw({
      method: 'GET',
      path,
      headers: { 'user-agent': this.#userAgent },
      timeoutMs: options.timeoutMs ?? this.#timeoutMs,
      description: `get ${path}`,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    return { status: answer.status, body: answer.body };
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async #object<T extends KubernetesObject>(request: Request): Promise<T> {
    const { content, body } = await this.#send(request);
    const { verb, method, type, subresource } = request;
    const described = `${verb} ${type.plural}`;
    if (method === 'GET') this.#keep(body.length, described);
    const object = checkedObject<T>(described, content);
    // Other subresources have another kind, such as Scale.
    const isWhole = subresource === undefined || subresource === 'status';
    return isWhole ? checkedFields(described, type, asType(type, object)) : object;
  }

  #call(request: Request): Call {
    return toCall(request, { userAgent: this.#userAgent, timeoutMs: this.#timeoutMs });
  }
}
