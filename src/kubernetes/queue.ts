import { backoffMs, type Clock, type Random } from './clock.ts';

/** Keys that may hold each other up; those of another lane never do. */
export interface Lanes {
  /** Name of the lane that a key is in now. */
  readonly of: (key: string) => string;
  /** Keys of one lane that are worked on at the same time. */
  readonly width: number;
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
const ONE_LANE: Lanes = { of: () => '', width: Infinity };

/**
 * Work queue with the rules of client-go's: a key is handed to one worker at a time, is never lost,
 * and any number of adds before it is taken count as one. A key added while it is being worked on
 * comes again once that is done.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #backoff: { readonly base: number; readonly max: number };
  readonly #lanes: Lanes;
  /** Keys that need work, whether waiting in `#order` or still being worked on. */
  readonly #dirty = new Set<string>();
  /** Keys that are worked on, with their lanes. */
  readonly #processing = new Map<string, string>();
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
    this.#processing.delete(key);
    if (this.#dirty.has(key)) this.#order.push(key);
    this.#handOut();
    if (this.#processing.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
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

  /** Gives keys to those who wait for one, in their order, as far as their lanes have room. */
  #handOut(): void {
    while (this.#takers.length > 0) {
      const index = this.#order.findIndex((key) => this.#hasRoom(this.#lanes.of(key)));
      if (index < 0) return;
      const [key = ''] = this.#order.splice(index, 1);
      this.#dirty.delete(key);
      this.#processing.set(key, this.#lanes.of(key));
      this.#takers.shift()?.(key);
    }
  }

  #hasRoom(lane: string): boolean {
    const busy = [...this.#processing.values()].filter((other) => other === lane);
    return busy.length < this.#lanes.width;
  }
}
