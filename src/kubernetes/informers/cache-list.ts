/** Objects of a list on their way into a cache: reduced page by page, and counted before the cache takes them. */
import { Reservation } from './cache-quota/cache-memory.ts';
import type { ListMeter } from './cache-quota/list-meter.ts';
import { sizeOf } from './cache-quota/size-of.ts';
import type { ListTransform } from '../client/client-interface.ts';
import type { CacheOptions } from './informer-options.ts';
import { tooLarge } from '../client/limits.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { RemainderRoom } from './remainders.ts';

/** What a list needs of its cache. */
export interface ListTarget<T extends KubernetesObject> {
  /** Whether the cache keeps the objects of a namespace. */
  readonly isKept: (namespace: string | undefined) => boolean;
  readonly reduce: (raw: T) => T;
  /** What remains of an object that is left out. */
  readonly remainderOf: (object: T) => T | undefined;
  /** Characters of a namespace in the cache. */
  readonly cachedBytes: (namespace: string) => number;
}

export class CacheList<T extends KubernetesObject> {
  readonly #options: CacheOptions<T>;
  readonly #target: ListTarget<T>;
  readonly #reservation = new Reservation();
  #meter: ListMeter | undefined;
  /** Characters that count towards the limit of several caches. */
  #bytes = 0;
  #room = new RemainderRoom();
  /** Number of drops of the quota after the last page. */
  #drops = 0;

  constructor(options: CacheOptions<T>, target: ListTarget<T>) {
    this.#options = options;
    this.#target = target;
  }

  /** Begins the list, or begins it anew. */
  transform(): ListTransform<T> {
    this.end();
    const { quota, type } = this.#options;
    this.#meter = quota?.of.meter(type.plural, this.#target.cachedBytes);
    this.#drops = quota?.of.drops ?? 0;
    this.#room = new RemainderRoom();
    return {
      reduce: (raw) => this.#reduce(raw),
      ...(quota && { retain: (items) => this.#retain(items) }),
    };
  }

  /** Call it when the list has ended, before the cache takes its objects. Further calls have no effect. */
  end(): void {
    this.#meter?.end();
    this.#reservation.end();
    this.#options.total?.release(this.#bytes);
    this.#bytes = 0;
  }

  /** @throws NetworkError when the list is too long */
  #reduce(raw: T): T | undefined {
    const { quota, total, type } = this.#options;
    const { namespace = '' } = raw.metadata;
    const isKept = this.#target.isKept(namespace);
    const object = isKept ? this.#target.reduce(raw) : this.#remainderOf(raw);
    const size = isKept && object !== undefined ? sizeOf(object) : 0;
    if (this.#meter?.add(namespace, sizeOf(raw), size) === false)
      throw tooLarge(`list ${type.plural}`, 'the list', quota?.of.listBytes ?? Infinity);
    total?.reserve(size, type.plural, this.#reservation);
    this.#bytes += size;
    return object;
  }

  /** Leaves at most a remainder of each object whose namespace was dropped meanwhile. */
  #retain(items: T[]): T[] {
    const { drops = 0 } = this.#options.quota?.of ?? {};
    if (drops === this.#drops) return items;
    this.#drops = drops;
    this.#room = new RemainderRoom();
    return items.flatMap((item) =>
      this.#target.isKept(item.metadata.namespace) ? item : (this.#remainderOf(item) ?? []),
    );
  }

  #remainderOf(object: T): T | undefined {
    const remainder = this.#target.remainderOf(object);
    return remainder !== undefined && this.#room.take(remainder) ? remainder : undefined;
  }
}
