/**
 * Time limits of a probe: one for the etcd member, and one for the turns of the thread. While a probe waits for a turn, only the second one
 * counts. Otherwise a healthy etcd would be reported as too slow because the operator checks many others, such as after its start.
 */
import type { Clock } from '../kubernetes/time/clock.ts';
import type { InTurn } from '../kubernetes/fairness/received-data.ts';

/** Time limits in milliseconds. */
export interface ProbeLimits {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** For the etcd member, including DNS lookup and TLS handshake. */
  readonly answerMs: number;
  /** For all turns of the probe together. */
  readonly turnsMs: number;
}

/** The limit that a probe has exceeded. */
type Exceeded = 'answer' | 'turns';

export class ProbeDeadline {
  readonly #clock: ProbeLimits['clock'];
  readonly #left: Record<Exceeded, number>;
  readonly #own = new AbortController();
  #exceeded: Exceeded | undefined;
  #stop: () => void = () => undefined;
  /** Aborted when a limit is exceeded, or the probe is cancelled. */
  readonly signal: AbortSignal;

  /** @param cancelled cancels the probe */
  constructor({ clock, answerMs, turnsMs }: ProbeLimits, cancelled: AbortSignal) {
    this.#clock = clock;
    this.#left = { answer: answerMs, turns: turnsMs };
    this.signal = AbortSignal.any([cancelled, this.#own.signal]);
    this.#count('answer');
  }

  /** The limit that the probe has exceeded, if any. */
  get exceeded(): Exceeded | undefined {
    return this.#exceeded;
  }

  /** Returns turns for one connection. The time until a turn begins does not count as time of the etcd member. */
  turns(inTurn: InTurn): InTurn {
    return async (work, signal) => {
      this.#count('turns');
      try {
        await inTurn(() => {
          this.#count('answer');
          work();
        }, signal);
      } finally {
        this.#count('answer');
      }
    };
  }

  /** Ends the timer, and gives up the turn that the probe waits for. */
  end(): void {
    this.#stop();
    this.#own.abort();
  }

  /** Counts the time towards one limit until the next call. */
  #count(limit: Exceeded): void {
    this.#stop();
    if (this.signal.aborted) return;
    const began = this.#clock.monotonic();
    const cancel = this.#clock.after(this.#left[limit], () => {
      this.#exceeded = limit;
      this.#own.abort();
    });
    this.#stop = () => {
      cancel();
      this.#left[limit] -= this.#clock.monotonic() - began;
      this.#stop = () => undefined;
    };
  }
}
