import type { Clock } from './kubernetes/clock.ts';

/**
 * Long enough that an install is over when the first has passed; and more than once, since part of what a collection
 * finds unused is let go of by a later one only: 2 MiB after three installs.
 */
const QUIET_MS = [20_000, 40_000, 60_000] as const;

/**
 * Runs something after the work has ended. V8 collects garbage only while something allocates: without this an
 * operator would keep the garbage of its last work for as long as it rests.
 */
export class Quiet {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #action: () => void;
  #cancels: readonly (() => void)[] = [];

  /** @param action what is run, a few times for each time of work */
  constructor(clock: Pick<Clock, 'after'>, action: () => void) {
    this.#clock = clock;
    this.#action = action;
  }

  /** There was work: the time of quiet begins anew. */
  disturb(): void {
    this.end();
    this.#cancels = QUIET_MS.map((ms) => this.#clock.after(ms, this.#action));
  }

  end(): void {
    for (const cancel of this.#cancels) cancel();
  }
}
