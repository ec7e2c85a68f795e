/** Aborts a download that stalls or exceeds its total time. */
import type { Clock } from '../kubernetes/time/clock.ts';

/** Download timeouts in milliseconds. */
export interface DownloadTimes {
  /** From the request to the response headers, including DNS lookup and TLS handshake. */
  readonly answer: number;
  /** Between two chunks of the body. */
  readonly stall: number;
  readonly total: number;
}

export const DOWNLOAD_TIMES: DownloadTimes = { answer: 20_000, stall: 20_000, total: 120_000 };

/** Watches one download. Callers must always call `clear` at the end. */
export class Watchdog {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #times: DownloadTimes;
  readonly #outer: AbortSignal;
  readonly #forward = (): void => this.#controller.abort();
  readonly #cancelTotal: () => void;
  #cancel: () => void = () => undefined;
  /** Describes the exceeded timeout. Undefined if none was exceeded. */
  verdict: string | undefined;

  /** @param outer aborts the download */
  constructor(clock: Clock, times: DownloadTimes, outer: AbortSignal) {
    this.#clock = clock;
    this.#times = times;
    this.#outer = outer;
    if (outer.aborted) this.#forward();
    outer.addEventListener('abort', this.#forward, { once: true });
    this.#cancelTotal = this.#arm(times.total, 'the download did not finish');
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the response timeout when a request is sent. */
  asked(): void {
    this.#cancel();
    this.#cancel = this.#arm(this.#times.answer, 'no response');
  }

  /** Restarts the stall timeout when headers or a chunk of the body arrive. */
  moved(): void {
    this.#cancel();
    this.#cancel = this.#arm(this.#times.stall, 'no more data');
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
