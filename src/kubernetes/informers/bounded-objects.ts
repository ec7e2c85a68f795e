/** Objects of an API server that is not trusted, within a total size. */
import { sizeOf } from './cache-quota/size-of.ts';
import type { KubernetesObject } from '../objects/object.ts';

interface Kept {
  readonly object: KubernetesObject;
}

/** Entries by ID. When their objects exceed the limit, the oldest entries go first. */
export class BoundedObjects<T extends Kept> {
  readonly #entries = new Map<string, { readonly entry: T; readonly size: number }>();
  readonly #max: number;
  #size = 0;

  /** @param max size of all objects, in characters of JSON. Without a limit, the size of an object is not computed */
  constructor(max = Infinity) {
    this.#max = max;
  }

  /** Number of entries. */
  get count(): number {
    return this.#entries.size;
  }

  get(id: string): T | undefined {
    return this.#entries.get(id)?.entry;
  }

  /** Keeps an entry as the newest one. */
  set(id: string, entry: T): void {
    this.delete(id);
    const size = this.#max === Infinity ? 0 : sizeOf(entry.object);
    this.#entries.set(id, { entry, size });
    this.#size += size;
    for (const other of this.#entries.keys()) {
      if (this.#size <= this.#max) return;
      this.delete(other);
    }
  }

  delete(id: string): void {
    this.#size -= this.#entries.get(id)?.size ?? 0;
    this.#entries.delete(id);
  }

  /** The oldest entry. */
  get oldest(): readonly [id: string, entry: T] | undefined {
    for (const [id, { entry }] of this.#entries) return [id, entry];
    return undefined;
  }
}
