import type { Clock } from '../time/clock.ts';
import { isHigher, type Priority } from '../fairness/fair-order.ts';

const WINDOW_MS = 1_000;

export interface MergedChangesOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** How often the action runs for one item within a second. */
  readonly maxPerSecond: number;
  readonly act: (item: string, priority: Priority) => void;
}

/** Limits how often changes of one item have an effect. Those above the limit have one together, after the second. */
export class MergedChanges {
  readonly #options: MergedChangesOptions;
  /** Number of actions within the present second, by item. */
  readonly #counts = new Map<string, number>();
  readonly #later = new Map<string, Priority>();
  #isWaiting = false;

  constructor(options: MergedChangesOptions) {
    this.#options = options;
  }

  /** Runs the action now, or after the present second. */
  add(item: string, priority: Priority = 'normal'): void {
    const count = this.#counts.get(item) ?? 0;
    if (count >= this.#options.maxPerSecond) {
      const later = this.#later.get(item);
      if (later === undefined || isHigher(priority, later)) this.#later.set(item, priority);
      return;
    }
    this.#counts.set(item, count + 1);
    this.#wait();
    this.#options.act(item, priority);
  }

  #wait(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#options.clock.after(WINDOW_MS, () => {
      this.#isWaiting = false;
      this.#counts.clear();
      const due = [...this.#later];
      this.#later.clear();
      for (const [item, priority] of due) this.add(item, priority);
    });
  }
}
