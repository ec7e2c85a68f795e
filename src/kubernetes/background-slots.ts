import type { Clock } from './clock.ts';
import { FairOrder, NO_LOAD } from './fair-order.ts';
import { OPERATOR, type Origins } from './origin.ts';
import { afterPatience } from './slow-work.ts';

export interface BackgroundSlotsOptions {
  readonly clock: Clock;
  /** Maximum number of concurrent tasks. */
  readonly count: number;
  /** Time after which a task counts as waiting and releases its slot, in milliseconds; never if not set. */
  readonly patienceMs?: number;
  /** Origins of the tasks, which share the slots. Without them, all tasks have the same origin. */
  readonly origins?: Pick<Origins, 'current'> | undefined;
}

/**
 * Semaphore for background tasks. A task that only waits releases its slot, so a hanging task delays no other. Waiting
 * tasks are served in turn by namespace, then by object.
 */
export class BackgroundSlots {
  readonly #options: BackgroundSlotsOptions;
  readonly #waiting = new FairOrder<() => void>();
  #taken = 0;

  constructor(options: BackgroundSlotsOptions) {
    this.#options = options;
  }

  /** Runs `work` when a slot is free. @throws errors of `work` */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const leave = await this.#slot();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** @returns a function that releases the slot */
  async #slot(): Promise<() => void> {
    const { count, origins } = this.#options;
    if (this.#taken < count) return this.#enter();
    const { flow, priority } = origins?.current ?? OPERATOR;
    return new Promise((resolve) => {
      this.#waiting.add(() => resolve(this.#enter()), flow, priority);
    });
  }

  #enter(): () => void {
    this.#taken += 1;
    let left = false;
    const leave = (): void => {
      cancel();
      if (left) return;
      left = true;
      this.#taken -= 1;
      if (this.#taken < this.#options.count) this.#waiting.take(NO_LOAD)?.item();
    };
    const { clock, patienceMs } = this.#options;
    const cancel = patienceMs ? afterPatience(clock, patienceMs, () => leave()) : () => undefined;
    return leave;
  }
}
