import { backoffMs, sleep, type Clock, type Random } from '../time/clock.ts';

/** After a shorter watch, in milliseconds, the informer pauses before the next one. */
const SHORTEST_WATCH_MS = 1_000;
const BACKOFF = { base: 250, max: 10_000 };

/** Pauses of an informer between its calls, with exponential backoff. */
export class InformerPause {
  readonly #options: { readonly clock: Clock; readonly random: Random };
  readonly #signal: AbortSignal;
  /** Failed calls in a row. */
  #failures = 0;
  /** Consecutive expired resourceVersions without an event in between. */
  #expirations = 0;

  /** @param signal ends a pause */
  constructor(options: { readonly clock: Clock; readonly random: Random }, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Records data from the API server. */
  heard(): void {
    this.#failures = 0;
  }

  /** Records a watch event. */
  heardEvent(): void {
    this.#expirations = 0;
  }

  /** Records an expired resourceVersion. Pauses only if the one before it had expired as well. */
  async afterExpiry(): Promise<void> {
    if ((this.#expirations += 1) > 1) await this.wait(0);
  }

  /** Pauses after a short watch, unless `signal` ended it. */
  async afterWatch(durationMs: number, signal: AbortSignal): Promise<void> {
    if (durationMs < SHORTEST_WATCH_MS && !signal.aborted) await this.wait(0);
  }

  /** Waits at least `atLeastMs` milliseconds, longer after each failure. */
  async wait(atLeastMs: number): Promise<void> {
    const { clock, random } = this.#options;
    const row = Math.max(this.#failures, this.#expirations);
    const pause = Math.max(atLeastMs, backoffMs(row, BACKOFF, random));
    this.#failures += 1;
    await sleep(clock, pause, this.#signal);
  }
}
