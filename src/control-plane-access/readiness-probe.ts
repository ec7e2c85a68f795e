/**
 * Probes the readiness of an API server in the background, so that a reconcile never waits for the result. Backs off
 * while the API server is not ready. A changed Pod triggers a probe at once.
 */
import { isDeepStrictEqual } from 'node:util';
import { spread, type Clock, type Log, type Random } from '../kubernetes/time/clock.ts';
import { Poller } from '../kubernetes/client/poller.ts';

export interface ReadinessProbeOptions<Refusal> {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Pick<Log, 'error'>;
  /** Runs one check. Never rejects. @returns undefined if the API server is ready */
  readonly ask: () => Promise<Refusal | undefined>;
  /** Called when the result differs from the previous one. */
  readonly onChange: (ready: boolean) => void;
}

const SOON_MS = 100;
/** Period with short retry intervals, in milliseconds: an installation waits for the result. */
const STARTS_MS = 10_000;
const MAX_MS = 90_000;

/** Retry interval for an API server that has not been ready for `elapsedMs`, both in milliseconds: pure. */
export function askAgainAfterMs(elapsedMs: number): number {
  return elapsedMs <= STARTS_MS ? SOON_MS : Math.min(MAX_MS, elapsedMs / 8);
}

/** How long a `ready` result is valid, in milliseconds. Callers request a new one while watches fail. */
const READY_MS = 1_000;

export type Readiness<Refusal> = 'unknown' | 'ready' | { readonly refusal: Refusal };

/** The API server and what is known of it. */
interface Target<Refusal> {
  /** Fingerprint of its Pods. */
  pods: string;
  answer: Readiness<Refusal>;
  /** Time of the answer, monotonic milliseconds. */
  answeredAt: number;
  /** Time of the first failure since the last success or the last change of the Pods, monotonic milliseconds. */
  failingSince: number | undefined;
}

/** Key of the only target. */
const API_SERVER = 'api-server';

export class ReadinessProbe<Refusal> {
  readonly #options: ReadinessProbeOptions<Refusal>;
  readonly #poller: Poller<Target<Refusal>, Refusal | undefined>;

  constructor(options: ReadinessProbeOptions<Refusal>) {
    this.#options = options;
    const { clock, ask, random, log } = options;
    this.#poller = new Poller({
      clock,
      log,
      check: ask,
      onResult: (_, target, refusal) => this.#record(target, refusal),
      // No request follows a success, so that an idle control plane gets none.
      pauseMs: ({ failingSince, answeredAt }) =>
        failingSince === undefined
          ? undefined
          : spread(askAgainAfterMs(answeredAt - failingSince), random),
    });
  }

  /**
   * Returns the last result, and starts a check if that result is outdated. Does not block.
   * @param pods fingerprint of the API server Pods
   * @param isChecked if false, an outdated `ready` is not checked again, because the requests that follow it show the same
   */
  current(pods: string, isChecked = true): Readiness<Refusal> {
    const known = this.#poller.get(API_SERVER);
    if (known === undefined) {
      const target = { pods, answeredAt: -Infinity, failingSince: undefined };
      this.#poller.add(API_SERVER, { ...target, answer: 'unknown' });
      return 'unknown';
    }
    if (pods === known.pods) {
      if (isChecked) this.doubt();
    } else {
      Object.assign(known, { pods, failingSince: undefined });
      this.#poller.check(API_SERVER);
    }
    return known.answer;
  }

  /** Starts a check if the last result was `ready` and is outdated. Call it when a request failed. */
  doubt(): void {
    const known = this.#poller.get(API_SERVER);
    if (known?.answer !== 'ready' || this.#poller.isChecking(API_SERVER)) return;
    if (this.#options.clock.monotonic() - known.answeredAt > READY_MS)
      this.#poller.check(API_SERVER);
  }

  /** Stops all checks. */
  close(): void {
    this.#poller.close();
  }

  #record(target: Target<Refusal>, refusal: Refusal | undefined): void {
    const before = target.answer;
    const answeredAt = this.#options.clock.monotonic();
    target.answer = refusal === undefined ? 'ready' : { refusal };
    target.answeredAt = answeredAt;
    target.failingSince = refusal === undefined ? undefined : (target.failingSince ?? answeredAt);
    if (!isDeepStrictEqual(before, target.answer)) this.#options.onChange(refusal === undefined);
  }
}
