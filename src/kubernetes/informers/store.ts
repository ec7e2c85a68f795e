import type { KubernetesObject } from '../objects/object.ts';
import { keyOf, keyText, type ObjectKey } from '../objects/resources.ts';

/** Index values of an object; there may be several or none. */
export type IndexFunction = (object: KubernetesObject) => readonly string[];

/** Read interface of a cache. Objects are shared and must not be modified. */
export interface Cache<T extends KubernetesObject = KubernetesObject> {
  get(key: ObjectKey): T | undefined;
  list(): T[];
  /** Objects with `value` in the index `name`. @throws Error when there is no such index */
  byIndex(name: string, value: string): T[];
}

/** Objects of one kind by namespace and name, with indexes. */
export class Store<T extends KubernetesObject = KubernetesObject> implements Cache<T> {
  readonly #objects = new Map<string, T>();
  readonly #functions: Readonly<Record<string, IndexFunction>>;
  readonly #indexes = new Map<string, Map<string, Set<string>>>();

  constructor(indexes: Readonly<Record<string, IndexFunction>> = {}) {
    this.#functions = indexes;
    for (const name of Object.keys(indexes)) this.#indexes.set(name, new Map());
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(keyText(key));
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new Error(`the cache has no index ${name}`);
    return [...(index.get(value) ?? [])].flatMap((key) => this.#objects.get(key) ?? []);
  }

  /** Keys of all objects, as `namespace/name`. */
  keys(): string[] {
    return [...this.#objects.keys()];
  }

  /** Adds or replaces an object. @returns the previous version */
  set(object: T): T | undefined {
    const key = keyText(keyOf(object));
    const previous = this.#objects.get(key);
    if (previous !== undefined) this.#unindex(key, previous);
    this.#objects.set(key, object);
    for (const [name, values] of Object.entries(this.#functions)) {
      for (const value of values(object)) this.#entry(name, value).add(key);
    }
    return previous;
  }

  /** Removes an object by `namespace/name`. @returns the removed object */
  delete(key: string): T | undefined {
    const previous = this.#objects.get(key);
    if (previous === undefined) return undefined;
    this.#unindex(key, previous);
    this.#objects.delete(key);
    return previous;
  }

  #entry(name: string, value: string): Set<string> {
    const index = this.#indexes.get(name) ?? new Map<string, Set<string>>();
    const entry = index.get(value) ?? new Set<string>();
    index.set(value, entry);
    return entry;
  }

  #unindex(key: string, object: T): void {
    for (const [name, values] of Object.entries(this.#functions)) {
      for (const value of values(object)) {
        const entry = this.#indexes.get(name)?.get(value);
        entry?.delete(key);
        if (entry?.size === 0) this.#indexes.get(name)?.delete(value);
      }
    }
  }
}

/** Whether two objects have the same uid and resourceVersion. */
export function sameVersion(a: KubernetesObject, b: KubernetesObject): boolean {
  return (
    a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion
  );
}
