import type { CacheMemory, MemoryShare, Reservation } from './cache-quota/cache-memory.ts';
import { tooLarge } from '../client/limits.ts';

/** Limits the objects of several caches together, such as those of one control plane. */
export class CacheTotal {
  readonly #limit: number;
  readonly #memory: CacheMemory | undefined;
  readonly #owner: string | undefined;
  readonly #evictions: (() => void)[] = [];
  #share: MemoryShare | undefined;
  #sum = 0;

  /**
   * @param limit in characters of JSON
   * @param memory of all caches of the process
   * @param owner namespace whose share of the memory it is
   */
  constructor(limit: number, memory?: CacheMemory, owner?: string) {
    this.#limit = limit;
    this.#memory = memory;
    this.#owner = owner;
  }

  /** @param evict empties a cache when all caches of the process together need too much memory */
  register(evict: () => void): void {
    this.#evictions.push(evict);
  }

  /**
   * Adds characters of JSON; negative ones subtract.
   * @param what plural of the kind, for the error
   * @throws NetworkError when they would exceed the limit, and then adds nothing
   */
  add(bytes: number, what: string): void {
    this.#count(bytes, what);
    this.#open()?.add(bytes);
  }

  /** Adds characters of a list that is being read. @throws NetworkError like `add` */
  reserve(bytes: number, what: string, reservation: Reservation): void {
    this.#count(bytes, what);
    const share = this.#open();
    if (share !== undefined) reservation.add(share, bytes);
  }

  /** Subtracts what was reserved; its reservation ends separately. */
  release(bytes: number): void {
    this.#sum -= bytes;
  }

  #count(bytes: number, what: string): void {
    if (bytes > 0 && this.#sum + bytes > this.#limit)
      throw tooLarge(`keep ${what}`, 'the total size of the cache', this.#limit);
    this.#sum += bytes;
  }

  #open(): MemoryShare | undefined {
    this.#share ??= this.#memory?.open(() => {
      for (const evict of this.#evictions) evict();
      this.#share = undefined;
    }, this.#owner);
    return this.#share;
  }

  /** Ends its share of the memory. */
  close(): void {
    this.#share?.close();
    this.#share = undefined;
  }
}
