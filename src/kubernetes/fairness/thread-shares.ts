import type { Origins } from './origin.ts';
import { BackgroundSlots, type Turn } from './background-slots.ts';
import { sleep, type Clock } from '../time/clock.ts';

/** Pauses after work, as multiples of its time: until other work of this kind, and then until work of the same namespace. */
const PAUSE = { all: 1, namespace: 4 } as const;

/** Runs work at once. Its error becomes that of the result. */
const called = async <T>(work: () => T): Promise<T> => work();

/**
 * Shares the only thread with work that occupies it for long without a break, such as parsing hundreds of certificates. All work together
 * gets at most half of the thread, and that of one namespace a fifth. Namespaces take turns.
 */
export class ThreadShares {
  readonly #clock: Clock;
  readonly #slots: BackgroundSlots;

  /** @param origins of the work without a flow */
  constructor(clock: Clock, origins?: Pick<Origins, 'current'>) {
    this.#clock = clock;
    this.#slots = new BackgroundSlots({ clock, count: 1, groupCount: 1, origins });
  }

  /**
   * Runs `work` in its turn. The result does not wait for the pause.
   * @throws errors of `work`, and the reason of the signal if it is aborted before the turn
   */
  run<T>(work: () => T, turn: Turn): Promise<T> {
    return new Promise((resolve, reject) => {
      const timed = this.#slots.run(async (release) => {
        const began = this.#clock.monotonic();
        resolve(called(work));
        await this.#pause(this.#clock.monotonic() - began, release);
      }, turn);
      timed.catch(reject);
    });
  }

  async #pause(busyMs: number, release: () => void): Promise<void> {
    if (busyMs === 0) return;
    await sleep(this.#clock, PAUSE.all * busyMs);
    release();
    await sleep(this.#clock, (PAUSE.namespace - PAUSE.all) * busyMs);
  }
}
