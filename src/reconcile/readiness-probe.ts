/**
 * Asks an API server in the background whether it is ready, so that a reconcile never waits for the answer. One that does
 * not answer is asked less and less often; a changed pod brings the next question at once.
 */
import { spread, type Clock, type Random } from '../kubernetes/clock.ts';

export interface ReadinessProbeOptions<Refusal> {
  readonly clock: Clock;
  readonly random: Random;
  /** Asks once. Never rejects. @returns undefined when the API server is ready */
  readonly ask: () => Promise<Refusal | undefined>;
  /** Called with each answer that is another one than before. */
  readonly onChange: (ready: boolean) => void;
}

const SOON_MS = 100;
/** So long an API server that starts is asked again soon: an install waits for the answer. */
const STARTS_MS = 10_000;
const LONGEST_MS = 90_000;

/** Pause before the next question to an API server that has not been ready for `elapsedMs`, in milliseconds: pure. */
export function askAgainAfterMs(elapsedMs: number): number {
  return elapsedMs <= STARTS_MS ? SOON_MS : Math.min(LONGEST_MS, elapsedMs / 8);
}

/** How long an answer counts that it is ready: it is asked for while the caches are not kept up. */
const READY_MS = 1_000;

export type Readiness<Refusal> = 'unknown' | 'ready' | { readonly refusal: Refusal };

export class ReadinessProbe<Refusal> {
  readonly #options: ReadinessProbeOptions<Refusal>;
  #answer: Readiness<Refusal> = 'unknown';
  #answeredAt = -Infinity;
  /** When it was first not ready since it last was, or since its pods changed. */
  #since: number | undefined;
  #pods: string | undefined;
  #running = false;
  /** Its pods changed while a question was under way. */
  #again = false;
  #closed = false;
  #cancel: () => void = () => undefined;

  constructor(options: ReadinessProbeOptions<Refusal>) {
    this.#options = options;
  }

  /**
   * What is known; asks when that is not enough. Waits for nothing.
   * @param pods changes whenever the pods of the API server do
   */
  look(pods: string): Readiness<Refusal> {
    if (pods !== this.#pods) {
      this.#pods = pods;
      this.#since = undefined;
      this.#ask();
    } else this.doubt();
    return this.#answer;
  }

  /** Something else shows that it may not be ready any more. */
  doubt(): void {
    if (this.#answer === 'ready' && this.#now() - this.#answeredAt > READY_MS) this.#ask();
  }

  /** Asks no more. */
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
