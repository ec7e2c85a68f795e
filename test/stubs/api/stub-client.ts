/** Client of a stub API in the same process, without HTTP. */
import type {
  ApplyOptions,
  DeleteOptions,
  KubernetesClient,
  ListOptions,
  ListPage,
  PageOptions,
  RawAnswer,
  WatchOptions,
  WriteOptions,
} from '../../../src/kubernetes/client/client-interface.ts';
import { isNotFound, toApiError, type ApiError } from '../../../src/kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { ListResponse } from '../../../src/kubernetes/client/checked-response.ts';
import { asType, deleteOptions, toPage } from '../../../src/kubernetes/client/request.ts';
import {
  keyOf,
  pathOf,
  typeOf,
  type ObjectKey,
  type ResourceType,
} from '../../../src/kubernetes/objects/resources.ts';
import type { WatchEvent } from '../../../src/kubernetes/client/watch.ts';
import { StatusError } from './errors.ts';
import type { StubApi, WatchLine } from './stub-api.ts';

type Query = Readonly<Record<string, string | undefined>>;

interface Call {
  readonly method: string;
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly contentType?: string;
}

const urlOf = ({ path, query = {} }: Call): string => {
  const given = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
};

export class StubClient implements KubernetesClient {
  readonly #api: StubApi;
  readonly #resources: readonly ResourceType[];
  readonly #agent: string;

  /** @param resources kinds in addition to the built-in ones */
  constructor(api: StubApi, resources: readonly ResourceType[] = [], agent = 'stub') {
    this.#api = api;
    this.#resources = resources;
    this.#agent = agent;
  }

  typeOf(object: Pick<KubernetesObject, 'apiVersion' | 'kind'>): ResourceType {
    return typeOf(object, this.#resources);
  }

  get<T extends KubernetesObject>(type: ResourceType<T>, key: ObjectKey): Promise<T> {
    return this.#call({ method: 'GET', path: pathOf(type, key) });
  }

  async find<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
  ): Promise<T | undefined> {
    return this.get(type, key).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }

  async listPage<T extends KubernetesObject>(
    type: ResourceType<T>,
    options: PageOptions = {},
  ): Promise<ListPage<T>> {
    const { namespace, labelSelector, fieldSelector } = options;
    const path = pathOf(type, namespace === undefined ? {} : { namespace });
    const answer = await this.#call({
      method: 'GET',
      path,
      query: { labelSelector, fieldSelector },
    });
    return toPage(type, answer as unknown as ListResponse<T>);
  }

  list<T extends KubernetesObject>(
    type: ResourceType<T>,
    options: ListOptions<T> = {},
  ): Promise<ListPage<T>> {
    return this.listPage(type, options);
  }

  async *watch<T extends KubernetesObject>(
    type: ResourceType<T>,
    options: WatchOptions,
  ): AsyncGenerator<WatchEvent<T>> {
    const { namespace, labelSelector, fieldSelector, resourceVersion, signal } = options;
    const path = pathOf(type, namespace === undefined ? {} : { namespace });
    const query = { watch: 'true', labelSelector, fieldSelector, resourceVersion };
    const lines: WatchLine[] = [];
    let wake = (): void => undefined;
    const end = this.#started({ method: 'GET', path, query }, (line) => {
      lines.push(line);
      wake();
    });
    options.onOpen?.();
    const stop = (): void => wake();
    signal?.addEventListener('abort', stop);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const line = lines.shift();
        if (line === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else yield eventOf(type, line);
      }
    } finally {
      end();
      signal?.removeEventListener('abort', stop);
    }
  }

  create<T extends KubernetesObject>(object: T, options: WriteOptions = {}): Promise<T> {
    const { namespace, name } = object.metadata;
    const key = {
      ...(namespace !== undefined && { namespace }),
      ...(options.subresource !== undefined && { name }),
    };
    return this.#write('POST', { path: this.#path(object, key, options), body: object }, options);
  }

  replace<T extends KubernetesObject>(object: T, options: WriteOptions = {}): Promise<T> {
    return this.#write(
      'PUT',
      { path: this.#path(object, keyOf(object), options), body: object },
      options,
    );
  }

  apply<T extends KubernetesObject>(object: T, options: ApplyOptions): Promise<T> {
    const contentType = 'application/apply-patch+yaml';
    const path = this.#path(object, keyOf(object), options);
    return this.#write('PATCH', { path, body: object, contentType }, options, {
      force: String(options.force ?? false),
    });
  }

  patch<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: object,
    options: WriteOptions = {},
  ): Promise<T> {
    const json = Array.isArray(patch);
    const contentType = `application/${json ? 'json-patch' : 'merge-patch'}+json`;
    const path = pathOf(type, key, options.subresource);
    return this.#write('PATCH', { path, body: patch, contentType }, options);
  }

  async delete(type: ResourceType, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    await this.#call({ method: 'DELETE', path: pathOf(type, key), body: deleteOptions(options) });
  }

  raw(path: string): Promise<RawAnswer> {
    const { status, body } = this.#api.handle({ ...this.#request({ method: 'GET', path }) });
    return Promise.resolve({
      status,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #path(
    object: KubernetesObject,
    key: { namespace?: string; name?: string },
    { subresource }: WriteOptions,
  ): string {
    return pathOf(this.typeOf(object), key, subresource);
  }

  #write<T extends KubernetesObject>(
    method: string,
    call: Omit<Call, 'method'>,
    { fieldManager, dryRun }: WriteOptions,
    more: Query = {},
  ): Promise<T> {
    const query = { fieldManager, ...(dryRun === true && { dryRun: 'All' }), ...more };
    return this.#call({ ...call, method, query });
  }

  #request(call: Call): Parameters<StubApi['handle']>[0] {
    const { method, body, contentType = 'application/json' } = call;
    const headers = { 'user-agent': this.#agent, 'content-type': contentType };
    return {
      method,
      url: urlOf(call),
      headers,
      body: body === undefined ? '' : JSON.stringify(body),
    };
  }

  #started(call: Call, send: (line: WatchLine) => void): () => void {
    try {
      return this.#api.watch(this.#request(call), send);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      throw this.#error(call, { status: error.code, body: error.body });
    }
  }

  #call<T extends KubernetesObject>(call: Call): Promise<T> {
    const answer = this.#api.handle(this.#request(call));
    if (answer.status >= 300) return Promise.reject(this.#error(call, answer));
    return Promise.resolve(answer.body as T);
  }

  #error(
    { method, path }: Call,
    answer: { readonly status: number; readonly body: unknown },
  ): ApiError {
    return toApiError(`${method} ${path}`, {
      code: answer.status,
      body: JSON.stringify(answer.body),
    });
  }
}

const eventOf = <T extends KubernetesObject>(
  type: ResourceType<T>,
  { type: change, object }: WatchLine,
): WatchEvent<T> => ({
  type: change as WatchEvent['type'],
  object: asType(type, object as T),
});
