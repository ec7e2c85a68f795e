import { backoffMs, type Clock, type Random } from './clock.ts';

/** Bounds of the backoff of a failing key, in milliseconds. */
export interface QueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly backoff?: { readonly base: number; readonly max: number };
}

const DEFAULT_BACKOFF = { base: 100, max: 60_000 };

/**
 * Work queue with the rules of client-go's: a key is handed to one worker at a time, is never lost,
 * and any number of adds before it is taken count as one. A key added while it is being worked on
 * comes again once that is done.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #backoff: { readonly base: number; readonly max: number };
  /** Keys that need work, whether waiting in `#order` or still being worked on. */
  readonly #dirty = new Set<string>();
  readonly #processing = new Set<string>();
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
  }

  /** Keys that wait for a worker now; timers not counted. */
  get length(): number {
    return this.#order.length;
  }

  /** Asks for work on the key as soon as possible. */
  add(key: string): void {
    if (this.#down || this.#dirty.has(key)) return;
    this.#dirty.add(key);
    if (!this.#processing.has(key)) this.#hand(key);
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
    const key = this.#order.shift();
    if (key !== undefined) return Promise.resolve(this.#begin(key));
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /** To be called once for each key taken. */
  done(key: string): void {
    this.#processing.delete(key);
    if (this.#dirty.has(key)) this.#hand(key);
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

  #hand(key: string): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#order.push(key);
    else taker(this.#begin(key));
  }

  #begin(key: string): string {
    this.#dirty.delete(key);
    this.#processing.add(key);
    return key;
  }
}
