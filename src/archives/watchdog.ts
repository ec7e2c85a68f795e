/** Gives up a download that does not move, or that takes too long in all. */
import type { Clock } from '../kubernetes/clock.ts';

/** In milliseconds. */
export interface DownloadTimes {
  /** From the first byte asked for to the headers of the answer, name look-up and TLS included. */
  readonly answer: number;
  /** Between two pieces of the body. */
  readonly stall: number;
  readonly total: number;
}

export const DOWNLOAD_TIMES: DownloadTimes = { answer: 20_000, stall: 20_000, total: 120_000 };

/** To be ended by `clear`, always. */
export class Watchdog {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #times: DownloadTimes;
  readonly #outer: AbortSignal;
  readonly #forward = (): void => this.#controller.abort();
  readonly #cancelTotal: () => void;
  #cancel: () => void = () => undefined;
  /** What took too long; undefined while nothing did. */
  verdict: string | undefined;

  /** @param outer ends everything at once when it is aborted */
  constructor(clock: Clock, times: DownloadTimes, outer: AbortSignal) {
    this.#clock = clock;
    this.#times = times;
    this.#outer = outer;
    if (outer.aborted) this.#forward();
    outer.addEventListener('abort', this.#forward, { once: true });
    this.#cancelTotal = this.#arm(times.total, 'it did not end');
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A request is sent. */
  asked(): void {
    this.#cancel();
    this.#cancel = this.#arm(this.#times.answer, 'no answer came');
  }

  /** Headers or a piece of the body came. */
  moved(): void {
    this.#cancel();
    this.#cancel = this.#arm(this.#times.stall, 'nothing more came');
  }

  clear(): void {
    this.#cancel();
    this.#cancelTotal();
    this.#outer.removeEventListener('abort', this.#forward);
  }

  #arm(ms: number, what: string): () => void {
    return this.#clock.after(ms, () => {
      this.verdict ??= `${what} within ${ms / 1000} s`;
      this.#controller.abort();
    });
  }
}
