import { backoffMs, type Clock, type Random } from './clock.ts';
import type { QueueState } from './queue-state.ts';
import { afterPatience } from './slow-work.ts';

/** Queue partitions: keys of one partition may delay each other, but not keys of other partitions. */
export interface QueuePartitions {
  /** Current partition of a key. */
  readonly of: (key: string) => string;
  /** Maximum number of keys of one partition that are processed concurrently. */
  readonly width: number;
  /** Maximum number of keys of all partitions that are processed concurrently. */
  readonly total: number;
  /**
   * A key that is processed for longer than this, in milliseconds, waits for an API server. It no longer counts towards
   * `width` and `total`, so that an unreachable API server does not block other keys.
   */
  readonly patienceMs: number;
}

export interface QueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Backoff of a failing key in milliseconds. */
  readonly backoff?: { readonly base: number; readonly max: number };
  /** Without partitions the number of concurrent keys is not limited. */
  readonly partitions?: QueuePartitions;
  /** Called when a worker takes a key. @param waitedMs since the key was ready to be processed */
  readonly onTake?: (waitedMs: number) => void;
}

const DEFAULT_BACKOFF = { base: 100, max: 60_000 };
const ONE_LANE: QueuePartitions = {
  of: () => '',
  width: Infinity,
  total: Infinity,
  patienceMs: Infinity,
};

/** A key in progress. */
interface Working {
  readonly partition: string;
  /** Monotonic milliseconds. */
  readonly since: number;
  /** Whether the key counts towards `width` and `total`. */
  counts: boolean;
  cancelPatience: () => void;
}

/**
 * Work queue with the semantics of client-go. Only one worker processes a key at a time, no key is lost, and several
 * adds of a waiting key count as one. A key that is added while it is processed is queued again afterwards. Among
 * partitions with waiting keys, the partition with the fewest keys in progress is next, then the least recently served
 * one.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #backoff: { readonly base: number; readonly max: number };
  readonly #partitions: QueuePartitions;
  /** Keys that need processing: waiting in `#order`, or still in progress. */
  readonly #dirty = new Set<string>();
  readonly #processing = new Map<string, Working>();
  /** Number of the last turn of each partition; cleared when no key is in progress. */
  readonly #served = new Map<string, number>();
  #turn = 0;
  readonly #order: string[] = [];
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
    this.#partitions = options.partitions ?? ONE_LANE;
    this.#onTake = options.onTake;
  }

  /** Number of keys that wait for a worker, without delayed keys. */
  get length(): number {
    return this.#order.length;
  }

  /** Present state, for metrics. */
  get state(): QueueState {
    const now = this.#clock.monotonic();
    const ages = [...this.#processing.values()].map(({ since }) => now - since);
    return {
      waiting: this.#order.length,
      delayed: this.#timers.size,
      failing: this.#failures.size,
      processing: this.#processing.size,
      longestMs: Math.max(0, ...ages),
    };
  }

  /** Adds the key, to be processed as soon as possible. */
  add(key: string): void {
    if (this.#down || this.#dirty.has(key)) return;
    this.#dirty.add(key);
    if (!this.#processing.has(key)) this.#line(key);
    this.#handOut();
  }

  /** Adds the key after `ms` milliseconds. If it is already scheduled, the earlier time wins. */
  addAfter(key: string, ms: number): void {
    if (this.#down) return;
    if (ms <= 0) return this.add(key);
    const at = this.#clock.monotonic() + ms;
    const known = this.#timers.get(key);
    if (known !== undefined && known.at <= at) return;
    known?.cancel();
    const cancel = this.#clock.after(ms, () => {
      this.#timers.delete(key);
      this.add(key);
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
    this.#processing.get(key)?.cancelPatience();
    this.#processing.delete(key);
    if (this.#dirty.has(key)) this.#line(key);
    this.#handOut();
    if (this.#processing.size > 0) return;
    this.#served.clear();
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Drops waiting keys, accepts no more, and resolves when no key is in progress. */
  async shutDown(): Promise<void> {
    this.#down = true;
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#order.length = 0;
    this.#waitingSince.clear();
    this.#dirty.clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
    if (this.#processing.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #line(key: string): void {
    this.#order.push(key);
    this.#waitingSince.set(key, this.#clock.monotonic());
  }

  /** Hands keys to waiting workers within the limits. */
  #handOut(): void {
    while (this.#takers.length > 0) {
      const key = this.#next();
      if (key === undefined) return;
      this.#order.splice(this.#order.indexOf(key), 1);
      this.#dirty.delete(key);
      this.#begin(key);
      this.#takers.shift()?.(key);
    }
  }

  #begin(key: string): void {
    const { of, patienceMs } = this.#partitions;
    const since = this.#clock.monotonic();
    this.#onTake?.(since - (this.#waitingSince.get(key) ?? since));
    this.#waitingSince.delete(key);
    const cancelPatience = (): void => undefined;
    const working: Working = { partition: of(key), since, counts: true, cancelPatience };
    this.#processing.set(key, working);
    this.#served.set(working.partition, (this.#turn += 1));
    if (patienceMs === Infinity) return;
    working.cancelPatience = afterPatience(this.#clock, patienceMs, () => {
      working.counts = false;
      this.#handOut();
    });
  }

  /** Next key; undefined if there is none or a limit is reached. */
  #next(): string | undefined {
    const { of, width, total } = this.#partitions;
    const busy = this.#busy();
    if ([...busy.values()].reduce((sum, count) => sum + count, 0) >= total) return undefined;
    const rankOf = (partition: string): Rank => [
      busy.get(partition) ?? 0,
      this.#served.get(partition) ?? 0,
    ];
    const ranked = this.#order.map((key) => ({ key, rank: rankOf(of(key)) }));
    const fitting = ranked.filter(({ rank: [count] }) => count < width);
    const [first, ...rest] = fitting;
    return rest.reduce((best, one) => (best && isLess(one.rank, best.rank) ? one : best), first)
      ?.key;
  }

  /** Number of keys of each partition that count towards the limits. */
  #busy(): ReadonlyMap<string, number> {
    const busy = new Map<string, number>();
    for (const { partition, counts } of this.#processing.values())
      if (counts) busy.set(partition, (busy.get(partition) ?? 0) + 1);
    return busy;
  }
}

/** Number of keys in progress of a partition, and the number of its last turn. */
type Rank = readonly [number, number];

const isLess = (one: Rank, other: Rank): boolean =>
  one[0] === other[0] ? one[1] < other[1] : one[0] < other[0];
