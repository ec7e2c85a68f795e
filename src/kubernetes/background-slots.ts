import type { Clock } from './clock.ts';
import { afterPatience } from './slow-work.ts';

export interface BackgroundSlotsOptions {
  readonly clock: Clock;
  /** Maximum number of concurrent tasks. */
  readonly count: number;
  /** Time after which a task counts as waiting and releases its slot, in milliseconds. */
  readonly patienceMs: number;
}

/** Semaphore for background tasks. A task that only waits releases its slot, so a hanging task delays no other. */
export class BackgroundSlots {
  readonly #options: BackgroundSlotsOptions;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(options: BackgroundSlotsOptions) {
    this.#options = options;
  }

  /** Runs `work` when a slot is free, in the order of the calls. @throws errors of `work` */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken >= this.#options.count)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const leave = this.#enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  #enter(): () => void {
    this.#taken += 1;
    let left = false;
    const leave = (): void => {
      cancel();
      if (left) return;
      left = true;
      this.#taken -= 1;
      if (this.#taken < this.#options.count) this.#waiting.shift()?.();
    };
    const { clock, patienceMs } = this.#options;
    const cancel = afterPatience(clock, patienceMs, () => leave());
    return leave;
  }
}
