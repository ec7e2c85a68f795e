/** Counts the objects of one list while it is read: they are in memory, but not in the cache yet. */
import { Amounts } from './amount.ts';
import { Reservation, type MemoryShare } from './cache-memory.ts';
import { exceeded, type QuotaLimits } from './quota-limits.ts';

export interface ListMeterOptions {
  readonly limits: QuotaLimits;
  /** Number of Karmada objects in a namespace. */
  readonly karmadasIn: (namespace: string) => number;
  /** Share of a namespace in the memory of all caches. */
  readonly shareOf: (namespace: string) => MemoryShare | undefined;
  /** Drops a namespace. @param excess for messages */
  readonly drop: (namespace: string, excess: string) => void;
  /** Characters of a namespace in the cache that the list replaces. */
  readonly cachedBytes: (namespace: string) => number;
}

export class ListMeter {
  readonly #options: ListMeterOptions;
  readonly #read = new Amounts();
  readonly #kept = new Amounts();
  /** Characters that the list adds to shares, until the cache contains its objects. */
  readonly #reservation = new Reservation();

  constructor(options: ListMeterOptions) {
    this.#options = options;
  }

  /**
   * Counts an object, and may drop its namespace.
   * @param read characters of the object @param kept characters of what the cache will keep of it
   * @returns false if the whole list is too long; its largest namespace was dropped then
   */
  add(namespace: string, read: number, kept: number): boolean {
    const { limits, drop, karmadasIn } = this.#options;
    const karmadas = karmadasIn(namespace);
    const all = this.#read.add(namespace, { bytes: read, objects: 1 });
    const before = this.#kept.get(namespace).bytes;
    const now = this.#kept.add(namespace, { bytes: kept, objects: kept > 0 ? 1 : 0 });
    const { bytes, objects } = this.#read.total;
    if (bytes > limits.listed.all || objects > limits.listed.allObjects) {
      drop(this.#read.largest ?? namespace, 'the largest part of a list that is too long');
      return false;
    }
    const excess = exceeded(all, limits.listed, karmadas) ?? exceeded(now, limits.cached, karmadas);
    if (excess !== undefined) drop(namespace, `more than ${excess}`);
    else this.#reserve(namespace, before, now.bytes);
    return true;
  }

  /** Call it when the list has ended, before the cache takes its objects. */
  end(): void {
    this.#reservation.end();
  }

  /** Adds to the share of a namespace by how much the objects of the list exceed those that they replace. */
  #reserve(namespace: string, before: number, now: number): void {
    const { shareOf, cachedBytes } = this.#options;
    const cached = cachedBytes(namespace);
    const bytes = Math.max(0, now - cached) - Math.max(0, before - cached);
    const share = bytes > 0 ? shareOf(namespace) : undefined;
    if (share !== undefined) this.#reservation.add(share, bytes);
  }
}
