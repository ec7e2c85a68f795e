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
  readonly owner: Owner;
  /** Empties the share, at once. */
  readonly release: () => void;
}

/** Shares of one tenant. */
interface Owner {
  readonly name: string | undefined;
  readonly shares: Set<Share>;
  bytes: number;
}

/**
 * While the shares exceed the limit, the largest one of the tenant with the largest sum is released. Shares of usual size are therefore
 * never released, however many a tenant has, for example one for each host cluster that its Karmada objects name.
 */
export class CacheMemory {
  readonly #limit: number;
  readonly #owners = new Set<Owner>();
  readonly #byName = new Map<string, Owner>();
  #total = 0;

  /** @param limit in characters of JSON. An object takes about twice as many bytes of the heap */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Characters of all shares. */
  get total(): number {
    return this.#total;
  }

  /**
   * @param release removes everything from the caches of the share, and closes it
   * @param name of the tenant: a namespace of the management cluster; without it, the share has a tenant of its own
   */
  open(release: () => void, name?: string): MemoryShare {
    const owner = this.#ownerOf(name);
    const share: Share = { bytes: 0, owner, release };
    owner.shares.add(share);
    return {
      add: (bytes) => {
        this.#change(share, bytes);
        this.#shrink();
      },
      close: () => {
        this.#change(share, -share.bytes);
        this.#remove(share);
      },
    };
  }

  #ownerOf(name: string | undefined): Owner {
    const known = name === undefined ? undefined : this.#byName.get(name);
    const owner = known ?? { name, shares: new Set(), bytes: 0 };
    this.#owners.add(owner);
    if (name !== undefined) this.#byName.set(name, owner);
    return owner;
  }

  #change(share: Share, bytes: number): void {
    const { owner } = share;
    if (!owner.shares.has(share)) return;
    share.bytes += bytes;
    owner.bytes += bytes;
    this.#total += bytes;
  }

  #remove(share: Share): void {
    const { owner } = share;
    owner.shares.delete(share);
    if (owner.shares.size > 0) return;
    this.#owners.delete(owner);
    if (owner.name !== undefined && this.#byName.get(owner.name) === owner)
      this.#byName.delete(owner.name);
  }

  #shrink(): void {
    while (this.#total > this.#limit) {
      const owner = largest(this.#owners);
      const share = owner && largest(owner.shares);
      if (share === undefined || share.bytes <= 0) return;
      share.release();
      this.#change(share, -share.bytes);
      this.#remove(share);
    }
  }
}

function largest<T extends { readonly bytes: number }>(all: Iterable<T>): T | undefined {
  let found: T | undefined;
  for (const one of all) if (found === undefined || one.bytes > found.bytes) found = one;
  return found;
}
