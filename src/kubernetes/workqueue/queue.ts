import { backoffMs, type Clock, type Random } from '../time/clock.ts';
import { FairOrder, isHigher, type Priority } from '../fairness/fair-order.ts';
import {
  loadOf,
  UNLIMITED,
  type KeyInProgress,
  type QueueShares,
} from '../fairness/queue-shares.ts';
import type { QueueState } from './queue-state.ts';
import { whenSlow } from '../fairness/slow-work.ts';

export interface QueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Backoff of a failing key in milliseconds. */
  readonly backoff?: { readonly base: number; readonly max: number };
  /** Without shares the number of concurrent keys is not limited. */
  readonly shares?: QueueShares;
  /** Called when a worker takes a key. @param waitedMs since the key was ready to be processed */
  readonly onTake?: (waitedMs: number) => void;
}

const DEFAULT_BACKOFF = { base: 100, max: 60_000 };
/** A key in progress. */
interface Working extends KeyInProgress {
  priority: Priority;
  /** Monotonic milliseconds. */
  readonly since: number;
  cancelTimer: () => void;
}

/**
 * Work queue with the semantics of client-go. Only one worker processes a key at a time, no key is lost, and several
 * adds of a waiting key count as one. A key that is added while it is processed is queued again afterwards. Among the
 * groups with waiting keys, the one with the fewest keys in progress is next, then the least recently served one; the same
 * holds for the tenants of a group.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #backoff: { readonly base: number; readonly max: number };
  readonly #shares: QueueShares;
  /** Keys in progress that need to be processed again. */
  readonly #again = new Map<string, Priority>();
  readonly #processing = new Map<string, Working>();
  readonly #order = new FairOrder<string>();
  /** Monotonic time in milliseconds since which each key of `#order` waits. */
  readonly #waitingSince = new Map<string, number>();
  readonly #onTake: QueueOptions['onTake'];
  readonly #takers: ((key: string | undefined) => void)[] = [];
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, { at: number; cancel: () => void }>();
  readonly #idle: (() => void)[] = [];
  #down = false;

  constructor(options: QueueOptions) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#backoff = options.backoff ?? DEFAULT_BACKOFF;
    this.#shares = options.shares ?? UNLIMITED;
    this.#onTake = options.onTake;
  }

  /** Number of keys that wait for a worker, without delayed keys. */
  get length(): number {
    return this.#order.size;
  }

  /** Present state, for metrics. */
  get state(): QueueState {
    const now = this.#clock.monotonic();
    const ages = [...this.#processing.values()].map(({ since }) => now - since);
    return {
      waiting: this.#order.size,
      delayed: this.#timers.size,
      failing: this.#failures.size,
      processing: this.#processing.size,
      longestMs: Math.max(0, ...ages),
    };
  }

  /** Adds the key, to be processed as soon as possible. Of several adds, the highest priority counts. */
  add(key: string, priority: Priority = 'normal'): void {
    if (this.#down) return;
    const working = this.#processing.get(key);
    if (working === undefined) this.#line(key, priority);
    else this.#repeat(key, priority, working);
    this.#handOut();
  }

  #repeat(key: string, priority: Priority, working: Working): void {
    const again = this.#again.get(key);
    if (again === undefined || isHigher(priority, again)) this.#again.set(key, priority);
    if (isHigher(priority, working.priority)) working.priority = priority;
  }

  /** Current priority of a key in progress, which a later add raises. */
  priorityOf(key: string): Priority {
    return this.#processing.get(key)?.priority ?? 'normal';
  }

  /** Adds the key after `ms` milliseconds. If it is already scheduled, the earlier time wins. */
  addAfter(key: string, ms: number, priority: Priority = 'normal'): void {
    if (this.#down) return;
    if (ms <= 0) return this.add(key, priority);
    const at = this.#clock.monotonic() + ms;
    const known = this.#timers.get(key);
    if (known !== undefined && known.at <= at) return;
    known?.cancel();
    const cancel = this.#clock.after(ms, () => {
      this.#timers.delete(key);
      this.add(key, priority);
    });
    this.#timers.set(key, { at, cancel });
  }

  /**
   * Adds the key again after a failure with exponential backoff.
   * @param atLeastMs minimum pause in milliseconds
   * @returns the pause in milliseconds
   */
  addRateLimited(key: string, atLeastMs = 0): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const pause = Math.max(atLeastMs, backoffMs(failures, this.#backoff, this.#random));
    this.addAfter(key, pause);
    return pause;
  }

  /** Number of consecutive failures. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Resets the backoff after a success. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Waits for the next key; undefined after the queue was shut down. */
  take(): Promise<string | undefined> {
    if (this.#down) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#handOut();
    });
  }

  /** Marks a key as processed. Workers must call it once for each key from `take`. */
  done(key: string): void {
    this.#processing.get(key)?.cancelTimer();
    this.#processing.delete(key);
    const again = this.#again.get(key);
    this.#again.delete(key);
    if (again !== undefined) this.#line(key, again);
    this.#handOut();
    if (this.#processing.size > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Drops waiting keys, accepts no more, and resolves when no key is in progress. */
  async shutDown(): Promise<void> {
    this.#down = true;
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#order.clear();
    this.#waitingSince.clear();
    this.#again.clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
    if (this.#processing.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #line(key: string, priority: Priority): void {
    if (!this.#order.has(key)) this.#waitingSince.set(key, this.#clock.monotonic());
    this.#order.add(key, this.#shares.of(key), priority);
  }

  /** Hands keys to waiting workers within the limits. */
  #handOut(): void {
    while (this.#takers.length > 0 && this.#order.size > 0) {
      const next = this.#order.take(loadOf(this.#processing.values(), this.#shares));
      if (next === undefined) return;
      this.#begin(next.item, next.priority);
      this.#takers.shift()?.(next.item);
    }
  }

  #begin(key: string, priority: Priority): void {
    const { of, slowAfterMs } = this.#shares;
    const since = this.#clock.monotonic();
    this.#onTake?.(since - (this.#waitingSince.get(key) ?? since));
    this.#waitingSince.delete(key);
    const cancelTimer = (): void => undefined;
    const working: Working = { flow: of(key), priority, since, counts: true, cancelTimer };
    this.#processing.set(key, working);
    if (slowAfterMs === Infinity) return;
    this.#stopCountingWhenSlow(key, working);
  }

  #stopCountingWhenSlow(key: string, working: Working): void {
    const { isLimited, slowAfterMs } = this.#shares;
    working.cancelTimer = whenSlow(this.#clock, slowAfterMs, () => {
      if (isLimited?.(key) === true) return this.#stopCountingWhenSlow(key, working);
      working.counts = false;
      this.#handOut();
    });
  }
}
