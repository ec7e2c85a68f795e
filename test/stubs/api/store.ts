/** Objects of one API server with their versions, and the events of watches. */
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { expired } from './errors.ts';

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubernetesObject;
  /** The version before a change, for watches with a selector. */
  readonly previous?: KubernetesObject;
  readonly version: number;
}

export type Listener = (event: StoreEvent) => void;
/** @param resource `group/plural` */
export type ResourceListener = (resource: string, event: StoreEvent) => void;

/** Events that are kept for watches that resume. Kubernetes keeps those of five minutes. */
const KEPT_EVENTS = 2_000;

/** Objects of one resource. */
class Collection {
  /** By namespace and name. */
  readonly objects = new Map<string, Map<string, KubernetesObject>>();
  readonly listeners = new Set<Listener>();
  history: StoreEvent[] = [];
  /** Version of the newest event that was dropped. */
  dropped = 0;
}

/** Objects are immutable: a change stores another object. */
export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly #listeners: ResourceListener[] = [];
  #version: number;

  /** @param version first resource version */
  constructor(version = 1) {
    this.#version = version;
  }

  get version(): number {
    return this.#version;
  }

  /** @param key `namespace/name`, with an empty namespace for objects without one */
  get(resource: string, key: string): KubernetesObject | undefined {
    const [namespace = '', name = ''] = key.split('/');
    return this.#collections.get(resource)?.objects.get(namespace)?.get(name);
  }

  /** Objects of a resource. @param namespace all if absent */
  list(resource: string, namespace?: string): readonly KubernetesObject[] {
    const objects = this.#collections.get(resource)?.objects;
    if (objects === undefined) return [];
    if (namespace !== undefined) return [...(objects.get(namespace)?.values() ?? [])];
    return [...objects.values()].flatMap((of) => [...of.values()]);
  }

  /** Names of the resources that have objects. */
  get resources(): readonly string[] {
    return [...this.#collections].flatMap(([name, { objects }]) =>
      objects.size > 0 ? [name] : [],
    );
  }

  /** Stores an object with a new version. */
  put(resource: string, object: KubernetesObject): KubernetesObject {
    const collection = this.#collection(resource);
    const stored = this.#versioned(object);
    const { namespace = '', name } = stored.metadata;
    const siblings = collection.objects.get(namespace) ?? new Map<string, KubernetesObject>();
    const previous = siblings.get(name);
    siblings.set(name, stored);
    collection.objects.set(namespace, siblings);
    const version = this.#version;
    this.#emit(
      { resource, collection },
      previous === undefined
        ? { type: 'ADDED', object: stored, version }
        : { type: 'MODIFIED', object: stored, previous, version },
    );
    return stored;
  }

  remove(resource: string, object: KubernetesObject): void {
    const collection = this.#collection(resource);
    const { namespace = '', name } = object.metadata;
    const siblings = collection.objects.get(namespace);
    if (siblings?.delete(name) !== true) return;
    if (siblings.size === 0) collection.objects.delete(namespace);
    const last = this.#versioned(object);
    this.#emit({ resource, collection }, { type: 'DELETED', object: last, version: this.#version });
  }

  /**
   * Calls `listener` for each event after a version.
   * @returns function that ends it
   * @throws StatusError 410 if the store has dropped some of these events
   */
  watch(resource: string, after: number, listener: Listener): () => void {
    const collection = this.#collection(resource);
    if (after < collection.dropped || after > this.#version) throw expired();
    for (const event of collection.history) if (event.version > after) listener(event);
    collection.listeners.add(listener);
    return () => collection.listeners.delete(listener);
  }

  /** Calls `listener` for each event of each resource, also for those of present objects. */
  subscribe(listener: ResourceListener): void {
    this.#listeners.push(listener);
    for (const resource of this.resources)
      for (const object of this.list(resource))
        listener(resource, { type: 'ADDED', object, version: this.#version });
  }

  /** Drops all kept events, as a compaction does. */
  compact(): void {
    for (const collection of this.#collections.values()) {
      collection.dropped = this.#version;
      collection.history = [];
    }
  }

  #emit(
    { resource, collection }: { readonly resource: string; readonly collection: Collection },
    event: StoreEvent,
  ): void {
    collection.history.push(event);
    if (collection.history.length > KEPT_EVENTS) {
      const gone = collection.history.splice(0, KEPT_EVENTS / 2);
      collection.dropped = gone.at(-1)?.version ?? 0;
    }
    for (const listener of [...collection.listeners]) listener(event);
    for (const listener of this.#listeners) listener(resource, event);
  }

  #versioned(object: KubernetesObject): KubernetesObject {
    this.#version += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
  }

  #collection(resource: string): Collection {
    const found = this.#collections.get(resource) ?? new Collection();
    this.#collections.set(resource, found);
    return found;
  }
}
