/** Memory that all caches of the process may use together. */

/** Part of the memory that belongs to one tenant: a namespace of a cluster, or a control plane. */
export interface MemoryShare {
  /** Adds characters of JSON to the share; negative ones subtract. It may be released before this returns. */
  add(bytes: number): void;
  /** Subtracts the whole share. */
  close(): void;
}

/** Characters of a list that is being read, in the shares that they belong to. */
export class Reservation {
  readonly #shares = new Map<MemoryShare, number>();

  add(share: MemoryShare, bytes: number): void {
    this.#shares.set(share, (this.#shares.get(share) ?? 0) + bytes);
    share.add(bytes);
  }

  /** Subtracts everything. A share that was closed or released meanwhile does not change. */
  end(): void {
    for (const [share, bytes] of this.#shares) share.add(-bytes);
    this.#shares.clear();
  }
}

interface Share {
  bytes: number;
  /** Empties the share, at once. */
  readonly release: () => void;
}

/** While the shares exceed the limit, the largest one is released. Shares of usual size are therefore never released. */
export class CacheMemory {
  readonly #limit: number;
  readonly #shares = new Set<Share>();
  #total = 0;

  /** @param limit in characters of JSON. An object takes about twice as many bytes of the heap */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Characters of all shares. */
  get total(): number {
    return this.#total;
  }

  /** @param release removes everything from the caches of the share, and closes it */
  open(release: () => void): MemoryShare {
    const share: Share = { bytes: 0, release };
    this.#shares.add(share);
    const change = (bytes: number): void => {
      if (!this.#shares.has(share)) return;
      share.bytes += bytes;
      this.#total += bytes;
    };
    return {
      add: (bytes) => {
        change(bytes);
        this.#shrink();
      },
      close: () => {
        change(-share.bytes);
        this.#shares.delete(share);
      },
    };
  }

  #shrink(): void {
    while (this.#total > this.#limit) {
      const [first, ...others] = this.#shares;
      if (first === undefined) return;
      const largest = others.reduce((most, one) => (one.bytes > most.bytes ? one : most), first);
      if (largest.bytes <= 0) return;
      largest.release();
      this.#total -= largest.bytes;
      this.#shares.delete(largest);
    }
  }
}
