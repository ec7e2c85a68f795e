import { backoffMs, type Clock, type Random } from './clock.ts';
import { afterPatience } from './patience.ts';

/** Partitions of the queue: keys of one lane may delay each other, those of another lane do not. */
export interface Lanes {
  /** Name of the lane that a key is in now. */
  readonly of: (key: string) => string;
  /** Keys of one lane that are worked on at the same time. */
  readonly width: number;
  /** Keys of all lanes that are worked on at the same time. */
  readonly total: number;
  /**
   * Work on a key that takes longer than this waits for an API server. It no longer counts towards `width` and `total`,
   * so that a dead API server takes no worker from others.
   */
  readonly patienceMs: number;
}

export interface QueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Bounds of the backoff of a failing key, in milliseconds. */
  readonly backoff?: { readonly base: number; readonly max: number };
  /** Without them as many keys are handed out as are asked for. */
  readonly lanes?: Lanes;
}

const DEFAULT_BACKOFF = { base: 100, max: 60_000 };
const ONE_LANE: Lanes = { of: () => '', width: Infinity, total: Infinity, patienceMs: Infinity };

/** A key that is worked on. */
interface Working {
  readonly lane: string;
  /** Whether it counts towards the bounds. */
  counts: boolean;
  cancelPatience: () => void;
}

/**
 * Work queue with the rules of client-go's: a key is handed to one worker at a time, is never lost,
 * and any number of adds before it is taken count as one. A key added while it is being worked on
 * comes again once that is done. Of several lanes with waiting keys the one with the least work, and
 * then the one that was served longest ago, is next.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #backoff: { readonly base: number; readonly max: number };
  readonly #lanes: Lanes;
  /** Keys that need work, whether waiting in `#order` or still being worked on. */
  readonly #dirty = new Set<string>();
  readonly #processing = new Map<string, Working>();
  /** By lane, the number of its last turn; forgotten when nothing is worked on. */
  readonly #served = new Map<string, number>();
  #turn = 0;
  readonly #order: string[] = [];
  readonly #takers: ((key: string | undefined) => void)[] = [];
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, { at: number; cancel: () => void }>();
  readonly #idle: (() => void)[] = [];
  #down = false;

  constructor(options: QueueOptions) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#backoff = options.backoff ?? DEFAULT_BACKOFF;
    this.#lanes = options.lanes ?? ONE_LANE;
  }

  /** Keys that wait for a worker now; timers not counted. */
  get length(): number {
    return this.#order.length;
  }

  /** Asks for work on the key as soon as possible. */
  add(key: string): void {
    if (this.#down || this.#dirty.has(key)) return;
    this.#dirty.add(key);
    if (!this.#processing.has(key)) this.#order.push(key);
    this.#handOut();
  }

  /** Asks for work on the key in `ms` milliseconds; of several such wishes the earliest counts. */
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
   * Asks again after a failure; the pause doubles with each failure in a row and is at least
   * `atLeastMs`. Gives the pause in milliseconds.
   */
  addRateLimited(key: string, atLeastMs = 0): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const pause = Math.max(atLeastMs, backoffMs(failures, this.#backoff, this.#random));
    this.addAfter(key, pause);
    return pause;
  }

  /** Failures in a row. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Ends the row of failures, after a success. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The next key, when there is one; undefined once the queue is shut down. */
  take(): Promise<string | undefined> {
    if (this.#down) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#handOut();
    });
  }

  /** To be called once for each key taken. */
  done(key: string): void {
    this.#processing.get(key)?.cancelPatience();
    this.#processing.delete(key);
    if (this.#dirty.has(key)) this.#order.push(key);
    this.#handOut();
    if (this.#processing.size > 0) return;
    this.#served.clear();
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Takes no more keys, hands none out, and resolves when no key is being worked on. */
  async shutDown(): Promise<void> {
    this.#down = true;
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#order.length = 0;
    this.#dirty.clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
    if (this.#processing.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Gives keys to those who wait for one, as far as the bounds allow. */
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
    const { of, patienceMs } = this.#lanes;
    const working: Working = { lane: of(key), counts: true, cancelPatience: () => undefined };
    this.#processing.set(key, working);
    this.#served.set(working.lane, (this.#turn += 1));
    if (patienceMs === Infinity) return;
    working.cancelPatience = afterPatience(this.#clock, patienceMs, () => {
      working.counts = false;
      this.#handOut();
    });
  }

  /** The key whose turn it is; undefined when there is none or no room for it. */
  #next(): string | undefined {
    const { of, width, total } = this.#lanes;
    const busy = this.#busy();
    if ([...busy.values()].reduce((sum, count) => sum + count, 0) >= total) return undefined;
    const rankOf = (lane: string): Rank => [busy.get(lane) ?? 0, this.#served.get(lane) ?? 0];
    const ranked = this.#order.map((key) => ({ key, rank: rankOf(of(key)) }));
    const fitting = ranked.filter(({ rank: [count] }) => count < width);
    const [first, ...rest] = fitting;
    return rest.reduce((best, one) => (best && isLess(one.rank, best.rank) ? one : best), first)
      ?.key;
  }

  /** By lane, the keys that count towards the bounds. */
  #busy(): ReadonlyMap<string, number> {
    const busy = new Map<string, number>();
    for (const { lane, counts } of this.#processing.values())
      if (counts) busy.set(lane, (busy.get(lane) ?? 0) + 1);
    return busy;
  }
}

/** Keys of a lane that are worked on, and the number of its last turn. */
type Rank = readonly [number, number];

const isLess = (one: Rank, other: Rank): boolean =>
  one[0] === other[0] ? one[1] < other[1] : one[0] < other[0];
