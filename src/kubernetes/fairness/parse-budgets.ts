import type { Clock } from '../time/clock.ts';

/** Share of the time in which the texts of a namespace are parsed at once, and how much of it a namespace may save, in milliseconds. */
interface Budget {
  readonly share: number;
  readonly savedMs: number;
}

const PARSING: Budget = { share: 0.2, savedMs: 5_000 };

/** What each text costs besides its parsing, in milliseconds: a watch may have millions of bookmarks with 100 bytes. */
const TEXT_MS = 0.03;

/** Namespaces that are remembered, unless more have parsed something in the last seconds. */
const MAX_NAMESPACES = 1_000;

/**
 * How long short texts of each namespace are parsed. Each takes some milliseconds, but a server may send thousands in a second, in the
 * watches of a hundred host clusters of one namespace.
 */
export class ParseBudgets {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #budget: Budget;
  /** Time in milliseconds that each namespace has used and not earned again. */
  readonly #used = new Map<string, { readonly ms: number; readonly at: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>, budget = PARSING) {
    this.#clock = clock;
    this.#budget = budget;
  }

  /** Whether the next text of a namespace may be parsed at once. */
  hasRoom(namespace: string): boolean {
    return this.#msUsedBy(namespace) < this.#budget.savedMs;
  }

  /** Runs `work`, and counts its time. @throws errors of `work` */
  run<T>(namespace: string, work: () => T): T {
    const began = this.#clock.monotonic();
    try {
      return work();
    } finally {
      const at = this.#clock.monotonic();
      this.#used.set(namespace, { ms: this.#msUsedBy(namespace) + TEXT_MS + at - began, at });
      if (this.#used.size > MAX_NAMESPACES) this.#forgetUnused();
    }
  }

  #msUsedBy(namespace: string): number {
    const { ms, at } = this.#used.get(namespace) ?? { ms: 0, at: 0 };
    return Math.max(0, ms - (this.#clock.monotonic() - at) * this.#budget.share);
  }

  #forgetUnused(): void {
    for (const namespace of this.#used.keys())
      if (this.#msUsedBy(namespace) === 0) this.#used.delete(namespace);
  }
}
