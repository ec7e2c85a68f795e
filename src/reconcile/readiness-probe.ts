/**
 * Probes the readiness of an API server in the background, so that a reconcile never waits for the result. Backs off
 * while the API server is not ready. A changed Pod triggers a probe at once.
 */
import { spread, type Clock, type Random } from '../kubernetes/clock.ts';

export interface ReadinessProbeOptions<Refusal> {
  readonly clock: Clock;
  readonly random: Random;
  /** Runs one check. Never rejects. @returns undefined if the API server is ready */
  readonly ask: () => Promise<Refusal | undefined>;
  /** Called when the result differs from the previous one. */
  readonly onChange: (ready: boolean) => void;
}

const SOON_MS = 100;
/** Period with short retry intervals, in milliseconds: an installation waits for the result. */
const STARTS_MS = 10_000;
const LONGEST_MS = 90_000;

/** Retry interval for an API server that has not been ready for `elapsedMs`, both in milliseconds: pure. */
export function askAgainAfterMs(elapsedMs: number): number {
  return elapsedMs <= STARTS_MS ? SOON_MS : Math.min(LONGEST_MS, elapsedMs / 8);
}

/** How long a `ready` result is valid, in milliseconds. Callers request a new one while watches fail. */
const READY_MS = 1_000;

export type Readiness<Refusal> = 'unknown' | 'ready' | { readonly refusal: Refusal };

export class ReadinessProbe<Refusal> {
  readonly #options: ReadinessProbeOptions<Refusal>;
  #answer: Readiness<Refusal> = 'unknown';
  #answeredAt = -Infinity;
  /** Time of the first failure since the last success or the last change of the Pods. */
  #since: number | undefined;
  #pods: string | undefined;
  #running = false;
  /** Whether the Pods changed during a running check. */
  #again = false;
  #closed = false;
  #cancel: () => void = () => undefined;

  constructor(options: ReadinessProbeOptions<Refusal>) {
    this.#options = options;
  }

  /**
   * Returns the last result, and starts a check if that result is outdated. Does not block.
   * @param pods fingerprint of the API server Pods
   */
  look(pods: string): Readiness<Refusal> {
    if (pods !== this.#pods) {
      this.#pods = pods;
      this.#since = undefined;
      this.#ask();
    } else this.doubt();
    return this.#answer;
  }

  /** Starts a check if the last result was `ready` and is outdated. Call it when a request failed. */
  doubt(): void {
    if (this.#answer === 'ready' && this.#now() - this.#answeredAt > READY_MS) this.#ask();
  }

  /** Stops all checks. */
  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }

  #ask(): void {
    this.#cancel();
    if (this.#closed) return;
    if (this.#running) this.#again = true;
    else void this.#run();
  }

  async #run(): Promise<void> {
    const { ask, onChange, clock, random } = this.#options;
    this.#running = true;
    const refusal = await ask();
    this.#running = false;
    if (this.#closed) return;
    const before = JSON.stringify(this.#answer);
    this.#answer = refusal === undefined ? 'ready' : { refusal };
    this.#answeredAt = this.#now();
    if (refusal === undefined) this.#since = undefined;
    else this.#since ??= this.#answeredAt;
    if (this.#again) {
      this.#again = false;
      this.#ask();
    } else if (this.#since !== undefined) {
      const pause = spread(askAgainAfterMs(this.#answeredAt - this.#since), random);
      this.#cancel = clock.after(pause, () => this.#ask());
    }
    if (JSON.stringify(this.#answer) !== before) onChange(refusal === undefined);
  }
}
