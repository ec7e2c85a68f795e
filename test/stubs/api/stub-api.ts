/**
 * In-memory API of one API server: reads, writes and watches as kube-apiserver serves them, without authentication, schemas and
 * controllers.
 */
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { Allocations } from './defaults.ts';
import { badRequest, notFound, StatusError } from './errors.ts';
import type { Json } from './json.ts';
import { Kinds, type ServedType } from './kinds.ts';
import { listed, selected, type Selected } from './reads.ts';
import { parsePath, type RequestPath } from './request-path.ts';
import { writeContext, type ApiRequest, type ApiResponse } from './request.ts';
import { reviewed } from './reviews.ts';
import { Store, type StoreEvent } from './store.ts';
import { resourceOf, Writes, type Admission, type WriteTarget } from './writes.ts';

/** How an API server differs from a plain one. */
export interface StubApiOptions {
  readonly allocations: Allocations;
  /** Changes or rejects objects before they are stored. */
  readonly admit?: Admission;
  /** Answers a path itself, such as `/readyz`; undefined for all others. */
  readonly answer?: (request: ApiRequest, path: RequestPath | undefined) => ApiResponse | undefined;
  readonly version?: () => string;
}

/** An event of a watch as JSON. */
export interface WatchLine {
  readonly type: StoreEvent['type'] | 'BOOKMARK' | 'ERROR';
  readonly object: object;
}

/** A watch of a client. */
export interface OpenWatch {
  readonly pathname: string;
  /** Ends it as when its time is over. */
  readonly end: () => void;
}

interface Parsed {
  readonly path: RequestPath;
  readonly type: ServedType;
  readonly query: URLSearchParams;
}

const ADMITTED: Admission = (object) => object;

export class StubApi {
  readonly store: Store;
  readonly kinds = new Kinds();
  readonly watches = new Set<OpenWatch>();
  readonly #options: StubApiOptions;
  readonly #writes: Writes;

  constructor(options: StubApiOptions, store = new Store()) {
    this.#options = options;
    this.store = store;
    this.#writes = new Writes(store, options.allocations, options.admit ?? ADMITTED);
    for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease'])
      if (store.get('/namespaces', `/${name}`) === undefined) this.#createNamespace(name);
  }

  /** Answers a request other than a watch. */
  handle(request: ApiRequest): ApiResponse {
    try {
      return this.#handle(request);
    } catch (error) {
      if (error instanceof StatusError) return { status: error.code, body: error.body };
      throw error;
    }
  }

  /** Whether a request is a watch. */
  static isWatch({ method, url }: Pick<ApiRequest, 'method' | 'url'>): boolean {
    return method === 'GET' && /[?&]watch=(true|1)/.test(url);
  }

  /**
   * Calls `send` for each event that the watch selects.
   * @returns function that ends the watch
   * @throws StatusError, such as 410 if the resource version is too old
   */
  watch(request: ApiRequest, send: (line: WatchLine) => void): () => void {
    const { path, type, query } = this.#parse(request);
    const chosen = selected(path, query, String(request.headers['accept'] ?? ''));
    const from = Number(query.get('resourceVersion') ?? 0);
    const resource = resourceOf(type);
    if (from === 0)
      for (const object of this.store.list(resource))
        if (chosen.matches(object)) send({ type: 'ADDED', object: chosen.shown(object) });
    const after = from === 0 ? this.store.version : from;
    return this.store.watch(resource, after, (event) => sendSelected(event, chosen, send));
  }

  #handle(request: ApiRequest): ApiResponse {
    const { pathname, searchParams } = new URL(request.url, 'https://stub');
    const path = parsePath(pathname);
    const own = this.#options.answer?.(request, path);
    if (own !== undefined) return own;
    if (pathname === '/version')
      return { status: 200, body: { gitVersion: this.#options.version?.() ?? 'v1.35.4' } };
    if (/^\/(readyz|livez|healthz)/.test(pathname)) return { status: 200, body: 'ok' };
    const parsed = { ...this.#parse(request), query: searchParams };
    return request.method === 'GET' ? this.#read(parsed, request) : this.#write(parsed, request);
  }

  #parse({ url }: Pick<ApiRequest, 'url'>): Parsed {
    const { pathname, searchParams } = new URL(url, 'https://stub');
    const path = parsePath(pathname);
    const type = path && this.kinds.find(path);
    if (path === undefined || type === undefined)
      throw new StatusError(404, 'NotFound', 'the server could not find the requested resource');
    return { path, type, query: searchParams };
  }

  #read({ path, type, query }: Parsed, request: ApiRequest): ApiResponse {
    const { name, namespace = '' } = path;
    const { matches, shown } = selected(path, query, String(request.headers['accept'] ?? ''));
    if (name === undefined) {
      const items = this.store.list(resourceOf(type), path.namespace).filter(matches);
      const { version } = this.store;
      const list = listed(type, { items, version }, query) as {
        items: readonly KubernetesObject[];
      };
      return { status: 200, body: { ...list, items: list.items.map(shown) } };
    }
    const found = this.store.get(resourceOf(type), `${namespace}/${name}`);
    if (found === undefined) throw notFound(`${type.plural} "${name}"`);
    return { status: 200, body: shown(found) };
  }

  #write({ path, type, query }: Parsed, request: ApiRequest): ApiResponse {
    const { method } = request;
    const body = JSON.parse(request.body === '' ? '{}' : request.body) as KubernetesObject;
    const context = writeContext(request, query, path.subresource);
    if (method === 'POST') {
      const review = reviewed(path.plural, body);
      if (review !== undefined) return { status: 201, body: review };
      if (path.subresource !== undefined) return this.#subresource({ path, type, query }, body);
      const target = this.#target(path, type, body.metadata.name);
      return { status: 201, body: this.#writes.create(target, body, context) };
    }
    const target = this.#target(path, type, path.name);
    if (method === 'PUT') return { status: 200, body: this.#writes.update(target, body, context) };
    if (method === 'PATCH') return { status: 200, body: this.#writes.patch(target, body, context) };
    const options = body as unknown as Json;
    const left = this.#writes.delete(target, options, context);
    return { status: 200, body: left ?? { kind: 'Status', apiVersion: 'v1', status: 'Success' } };
  }

  /** Token of a ServiceAccount, node of a Pod, eviction of a Pod. */
  #subresource({ path, type, query }: Parsed, body: KubernetesObject): ApiResponse {
    const target = this.#target(path, type, path.name);
    const context = writeContext({ ...NO_REQUEST, method: 'POST' }, query);
    if (path.subresource === 'token') {
      const { name, namespace = '' } = target;
      if (this.store.get(resourceOf(type), `${namespace}/${name}`) === undefined)
        throw notFound(`serviceaccounts "${name}"`);
      const expirationTimestamp = new Date(Date.now() + 3_600_000).toISOString();
      return {
        status: 201,
        body: { ...body, status: { token: `token-of-${name}`, expirationTimestamp } },
      };
    }
    if (path.subresource === 'binding') {
      const { name: nodeName } = body['target'] as { name: string };
      const merge = { ...context, contentType: 'application/merge-patch+json' };
      this.#writes.patch(target, { spec: { nodeName } }, merge);
      return { status: 201, body: { kind: 'Status', apiVersion: 'v1', status: 'Success' } };
    }
    if (path.subresource === 'eviction') {
      this.#writes.delete(target, {}, context);
      return { status: 201, body: { kind: 'Status', apiVersion: 'v1', status: 'Success' } };
    }
    throw badRequest(`subresource ${String(path.subresource)} is not supported`);
  }

  #target({ namespace }: RequestPath, type: ServedType, name: string | undefined): WriteTarget {
    if (name === undefined || name === '') throw badRequest('the name is missing');
    return { type, name, ...(namespace !== undefined && { namespace }) };
  }

  #createNamespace(name: string): void {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    this.handle({
      ...NO_REQUEST,
      method: 'POST',
      url: '/api/v1/namespaces',
      body: JSON.stringify(object),
    });
  }
}

const NO_REQUEST: ApiRequest = { method: 'GET', url: '/', headers: {}, body: '' };

/** An object that a change moves into or out of the selection is an added or a deleted one. */
function sendSelected(
  { type, object, previous }: StoreEvent,
  { matches, shown }: Selected,
  send: (line: WatchLine) => void,
): void {
  const now = matches(object);
  const before = previous === undefined ? now : matches(previous);
  if (type !== 'MODIFIED') {
    if (now) send({ type, object: shown(object) });
  } else if (now || before) {
    const change = now ? (before ? 'MODIFIED' : 'ADDED') : 'DELETED';
    send({ type: change, object: shown(object) });
  }
}
