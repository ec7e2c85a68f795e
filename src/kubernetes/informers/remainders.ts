/** What a cache keeps of objects whose namespace is left out. */
import { sizeOf } from './cache-quota/size-of.ts';
import type { Quota } from './informer-options.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { keyOf, keyText } from '../objects/resources.ts';

/** Remainders of one cache at most: their number, and their characters of JSON. */
const MAX = { objects: 10_000, bytes: 16_777_216 };

/** Room for remainders. */
export class RemainderRoom {
  #objects = 0;
  #bytes = 0;

  /** Takes the room of a remainder. @returns false if there is not enough */
  take(remainder: KubernetesObject): boolean {
    const bytes = sizeOf(remainder);
    if (this.#objects >= MAX.objects || this.#bytes + bytes > MAX.bytes) return false;
    this.#objects += 1;
    this.#bytes += bytes;
    return true;
  }

  /** Returns the room of a remainder that was taken. */
  give(remainder: KubernetesObject): void {
    this.#objects -= 1;
    this.#bytes -= sizeOf(remainder);
  }
}

/** The remainders in a cache. Most caches have none, and there are many caches. */
export class Remainders<T extends KubernetesObject> {
  readonly #quota: Pick<Quota<T>, 'remainder'>;
  readonly #room = new RemainderRoom();
  #byKey: Map<string, T> | undefined;
  /** All that were made, to recognize those of a list. */
  #made: WeakSet<T> | undefined;

  constructor(quota: Pick<Quota<T>, 'remainder'>) {
    this.#quota = quota;
  }

  /** What remains of an object, which may be a remainder already. */
  of(object: T): T | undefined {
    if (this.isOne(object)) return object;
    const remainder = this.#quota.remainder?.(object);
    if (remainder !== undefined) (this.#made ??= new WeakSet<T>()).add(remainder);
    return remainder;
  }

  isOne(object: T): boolean {
    return this.#made?.has(object) === true;
  }

  has(key: string): boolean {
    return this.#byKey?.has(key) === true;
  }

  /** Keys of a namespace. */
  keysIn(namespace: string): string[] {
    return [...(this.#byKey?.keys() ?? [])].filter((key) => key.startsWith(`${namespace}/`));
  }

  /** Adds or replaces the remainder of an object. @returns undefined if nothing remains, or if there is no room */
  add(object: T): T | undefined {
    const key = keyText(keyOf(object));
    this.delete(key);
    const remainder = this.of(object);
    if (remainder === undefined || !this.#room.take(remainder)) return undefined;
    (this.#byKey ??= new Map<string, T>()).set(key, remainder);
    return remainder;
  }

  /** @returns whether it existed */
  delete(key: string): boolean {
    const remainder = this.#byKey?.get(key);
    if (remainder === undefined) return false;
    this.#room.give(remainder);
    return this.#byKey?.delete(key) === true;
  }
}
