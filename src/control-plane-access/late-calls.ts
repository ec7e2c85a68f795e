/**
 * Calls to a control plane that may outlast the reconcile which starts them. Otherwise an API server that does not answer would
 * delay the repair of objects in the host cluster.
 */
import type { Clock } from '../kubernetes/time/clock.ts';

/** How long a reconcile waits for a call, in milliseconds. A working API server usually answers earlier. */
export const LATE_AFTER_MS = 250;
/** How long the result of a late call is kept for a reconcile, in milliseconds. */
const KEPT_MS = 5_000;

export interface LateCallsOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** Called when a late call has ended. It requests the reconcile that receives the result. */
  readonly onEnd: () => void;
}

/** Result of a call, or `late` if it has not ended in time. */
export type Answer<T> = { readonly value: T } | 'late';

type Settled = { readonly value: unknown } | { readonly error: unknown };

interface Running {
  readonly settled: Promise<Settled>;
  isLate: boolean;
}

export class LateCalls {
  readonly #options: LateCallsOptions;
  readonly #running = new Map<string, Running>();
  readonly #ended = new Map<string, { readonly settled: Settled; readonly at: number }>();

  constructor(options: LateCallsOptions) {
    this.#options = options;
  }

  /**
   * Starts a call, unless one with this key is still running: that one is late. So two calls with one key never run at once.
   * @param keepsValue whether the next reconcile receives the value of a late call, as for reads. A late write is compared
   *   with the cache instead, because the object may have changed since
   * @throws the error of the call. The next reconcile receives that of a late call
   */
  async run<T>(key: string, call: () => Promise<T>, keepsValue: boolean): Promise<Answer<T>> {
    const ended = this.#take(key);
    if (ended !== undefined) return answerOf<T>(ended);
    if (this.#running.has(key)) return 'late';
    const settled = await this.#inTime(this.#start(key, call, keepsValue));
    return settled === undefined ? 'late' : answerOf<T>(settled);
  }

  /** Whether a call is running. Its end requests a reconcile. */
  isRunning(key: string): boolean {
    return this.#running.has(key);
  }

  #take(key: string): Settled | undefined {
    const found = this.#ended.get(key);
    this.#ended.delete(key);
    const isRecent = found !== undefined && this.#options.clock.monotonic() - found.at <= KEPT_MS;
    return isRecent ? found.settled : undefined;
  }

  #start(key: string, call: () => Promise<unknown>, keepsValue: boolean): Running {
    const settled = call().then(
      (value): Settled => ({ value }),
      (error: unknown): Settled => ({ error }),
    );
    const running: Running = { settled, isLate: false };
    this.#running.set(key, running);
    void settled.then((result) => {
      this.#running.delete(key);
      if (!running.isLate) return;
      const at = this.#options.clock.monotonic();
      if (keepsValue || 'error' in result) this.#ended.set(key, { settled: result, at });
      this.#options.onEnd();
    });
    return running;
  }

  #inTime(running: Running): Promise<Settled | undefined> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(LATE_AFTER_MS, () => {
        running.isLate = true;
        resolve(undefined);
      });
      void running.settled.then((settled) => {
        cancel();
        resolve(settled);
      });
    });
  }
}

function answerOf<T>(settled: Settled): Answer<T> {
  if ('value' in settled) return { value: settled.value as T };
  throw settled.error instanceof Error
    ? settled.error
    : new Error('the call failed', { cause: settled.error });
}
