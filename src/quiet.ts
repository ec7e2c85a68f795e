import type { Clock } from './kubernetes/clock.ts';

/** Long enough that an install is over when it has passed. */
const QUIET_MS = 20_000;

/**
 * Runs something once after the work has ended. V8 collects garbage only while something allocates: without this an
 * operator would keep the garbage of its last work for as long as it rests.
 */
export class Quiet {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #action: () => void;
  #cancel: () => void = () => undefined;

  /** @param action what is run, once for each time of work */
  constructor(clock: Pick<Clock, 'after'>, action: () => void) {
    this.#clock = clock;
    this.#action = action;
  }

  /** There was work: the time of quiet begins anew. */
  disturb(): void {
    this.#cancel();
    this.#cancel = this.#clock.after(QUIET_MS, this.#action);
  }

  end(): void {
    this.#cancel();
  }
}
