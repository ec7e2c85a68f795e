/** Amount of objects. */
export interface Amount {
  /** Characters of JSON. */
  readonly bytes: number;
  readonly objects: number;
}

const NOTHING: Amount = { bytes: 0, objects: 0 };

/** Sum of two amounts; negative ones subtract. */
const sum = (one: Amount, other: Amount): Amount => ({
  bytes: one.bytes + other.bytes,
  objects: one.objects + other.objects,
});

/** Amounts by namespace. */
export class Amounts {
  readonly #of = new Map<string, Amount>();
  /** All namespaces together. */
  total: Amount = NOTHING;

  /** Number of namespaces. */
  get size(): number {
    return this.#of.size;
  }

  get(namespace: string): Amount {
    return this.#of.get(namespace) ?? NOTHING;
  }

  /** Adds to the amount of a namespace. @returns the new amount */
  add(namespace: string, amount: Amount): Amount {
    const next = sum(this.get(namespace), amount);
    this.#of.set(namespace, next);
    if (next.objects === 0) this.#of.delete(namespace);
    this.total = sum(this.total, amount);
    return next;
  }

  delete(namespace: string): void {
    const { bytes, objects } = this.get(namespace);
    this.#of.delete(namespace);
    this.total = sum(this.total, { bytes: -bytes, objects: -objects });
  }

  /** Namespace with the most characters; undefined if there is none. */
  get largest(): string | undefined {
    let [largest, most]: [string | undefined, number] = [undefined, -1];
    for (const [namespace, { bytes }] of this.#of)
      if (bytes > most) [largest, most] = [namespace, bytes];
    return largest;
  }
}
