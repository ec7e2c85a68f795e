import type { Clock } from '../kubernetes/time/clock.ts';

/**
 * Idle times after which the action runs, in milliseconds. The first is longer than pauses within an installation. The
 * action repeats because one garbage collection does not free all unused memory: 2 MiB remained after three installs.
 */
const QUIET_MS = [20_000, 40_000, 60_000] as const;

/**
 * Runs an action after idle periods. V8 collects garbage only on allocation, so an idle operator would otherwise keep
 * the garbage of its last reconcile.
 */
export class IdleTrigger {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #action: () => void;
  #cancels: readonly (() => void)[] = [];

  /** @param action runs several times in each idle period */
  constructor(clock: Pick<Clock, 'after'>, action: () => void) {
    this.#clock = clock;
    this.#action = action;
  }

  /** Records activity and restarts the idle timers. */
  recordActivity(): void {
    this.end();
    this.#cancels = QUIET_MS.map((ms) => this.#clock.after(ms, this.#action));
  }

  /** Cancels the idle timers. */
  end(): void {
    for (const cancel of this.#cancels) cancel();
  }
}
