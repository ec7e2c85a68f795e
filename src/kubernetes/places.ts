import type { Clock } from './clock.ts';
import { afterPatience } from './patience.ts';

export interface PlacesOptions {
  readonly clock: Clock;
  /** Pieces of work that may compute at the same time. */
  readonly count: number;
  /** Work that takes longer than this is taken to wait for something, and loses its place. */
  readonly patienceMs: number;
}

/** A semaphore for background work whose places are lost by work that only waits, so that what hangs delays no other. */
export class Places {
  readonly #options: PlacesOptions;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** Runs `work` when there is a place for it, in the order of the calls. @throws what `work` throws */
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
