/**
 * In-memory API of a host cluster, as far as the operator uses it, without controllers and validation. For tests with
 * more host clusters than one machine can run API servers for.
 */
import { randomUUID } from 'node:crypto';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { pathParts, selects, type Target } from './stub-paths.ts';

export interface StubRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

export interface StubAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface StubEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubernetesObject;
}

type Listener = (event: StubEvent) => void;

const refusal = (code: number, reason: string): StubAnswer => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: reason },
});

/** One host cluster. */
export class StubApi {
  readonly #objects = new Map<string, KubernetesObject>();
  readonly #listeners = new Map<string, Set<Listener>>();
  #version = 1;

  constructor() {
    const name = 'kube-system';
    this.#put({ collection: '/api/v1/namespaces', name }, { metadata: { name } });
  }

  /** Responds to all requests except watches. */
  answer({ method, url, body }: StubRequest): StubAnswer {
    if (url === '/version') return { status: 200, body: { gitVersion: 'v1.35.4' } };
    const target = pathParts(url);
    const present = this.#objects.get(idOf(target));
    if (method === 'GET' && target.name === undefined) return this.#list(target);
    if (method === 'POST' || (method === 'PATCH' && present === undefined))
      return this.#create(target, JSON.parse(body) as KubernetesObject);
    if (present === undefined) return refusal(404, 'NotFound');
    if (method === 'GET') return { status: 200, body: present };
    if (method === 'DELETE') return this.#delete(target, present);
    const change = JSON.parse(body) as KubernetesObject;
    const metadata = { ...present.metadata, ...change.metadata, uid: present.metadata.uid };
    const next = { ...present, ...change, metadata } as KubernetesObject;
    return { status: 200, body: this.#put(target, next, 'MODIFIED') };
  }

  /** Watches a collection. @returns function that stops the watch */
  watch(url: string, listener: Listener): () => void {
    const target = pathParts(url);
    const of = this.#listeners.get(target.collection) ?? new Set();
    this.#listeners.set(target.collection, of);
    const filtered: Listener = (event) => {
      if (selects(target, event.object)) listener(event);
    };
    of.add(filtered);
    return () => of.delete(filtered);
  }

  #list(target: Target): StubAnswer {
    const items = [...this.#objects].flatMap(([id, object]) =>
      id.startsWith(`${target.collection}|`) && selects(target, object) ? [object] : [],
    );
    return { status: 200, body: { metadata: { resourceVersion: String(this.#version) }, items } };
  }

  #create(target: Target, object: KubernetesObject): StubAnswer {
    const { namespace, name = object.metadata.name } = target;
    const at = { ...target, name };
    if (this.#objects.has(idOf(at))) return refusal(409, 'AlreadyExists');
    const own = { ...object.metadata, name, ...(namespace && { namespace }), uid: randomUUID() };
    const creationTimestamp = new Date().toISOString().replace(/\.\d+/, '');
    const made = { ...object, metadata: { ...own, creationTimestamp, generation: 1 } };
    return { status: 201, body: this.#put(at, made) };
  }

  #delete(target: Target, object: KubernetesObject): StubAnswer {
    this.#objects.delete(idOf(target));
    this.#tell(target, 'DELETED', this.#versioned(object));
    return { status: 200, body: { kind: 'Status', apiVersion: 'v1', status: 'Success' } };
  }

  #put(
    target: Target,
    object: Pick<KubernetesObject, 'metadata'>,
    type: StubEvent['type'] = 'ADDED',
  ): KubernetesObject {
    const stored = this.#versioned(object as KubernetesObject);
    this.#objects.set(idOf(target), stored);
    this.#tell(target, type, stored);
    return stored;
  }

  #versioned(object: KubernetesObject): KubernetesObject {
    this.#version += 1;
    const { uid = randomUUID() } = object.metadata;
    return {
      ...object,
      metadata: { ...object.metadata, uid, resourceVersion: String(this.#version) },
    };
  }

  #tell({ collection }: Target, type: StubEvent['type'], object: KubernetesObject): void {
    for (const listener of this.#listeners.get(collection) ?? []) listener({ type, object });
  }
}

const idOf = ({ collection, namespace = '', name = '' }: Target): string =>
  `${collection}|${namespace}|${name}`;
