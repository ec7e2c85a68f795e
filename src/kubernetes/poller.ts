/**
 * Checks targets in the background, again and again, because no event tells when they change. There is at most one check
 * of a target at a time. What is known of a target is kept in the target itself, which belongs to the user of the poller.
 */
import type { Clock } from './clock.ts';

export interface PollerOptions<Target, Result> {
  readonly clock: Pick<Clock, 'after'>;
  /** Checks a target once. Never rejects. `signal` is aborted when the target is forgotten. */
  readonly check: (target: Target, signal: AbortSignal) => Promise<Result>;
  /** Records the result of a check. Not called for a target that was forgotten during the check. */
  readonly onResult: (key: string, target: Target, result: Result) => void;
  /** Pause until the next check in milliseconds, asked for after each result. */
  readonly pauseMs: (target: Target) => number;
}

interface Entry<Target> {
  readonly key: string;
  readonly target: Target;
  readonly abort: AbortController;
  isChecking: boolean;
  /** Whether another check was requested during the current one. */
  isDue: boolean;
  cancelTimer: () => void;
}

export class Poller<Target, Result> {
  readonly #options: PollerOptions<Target, Result>;
  readonly #entries = new Map<string, Entry<Target>>();

  constructor(options: PollerOptions<Target, Result>) {
    this.#options = options;
  }

  get(key: string): Target | undefined {
    return this.#entries.get(key)?.target;
  }

  /** All targets with their keys, as they are now. */
  all(): readonly (readonly [string, Target])[] {
    return [...this.#entries.values()].map(({ key, target }) => [key, target]);
  }

  isChecking(key: string): boolean {
    return this.#entries.get(key)?.isChecking === true;
  }

  /** Adds a target, in the place of another one with that key, and checks it now. */
  add(key: string, target: Target): void {
    this.forget(key);
    const entry = {
      ...{ key, target, abort: new AbortController() },
      ...{ isChecking: false, isDue: false, cancelTimer: () => undefined },
    };
    this.#entries.set(key, entry);
    void this.#check(entry);
  }

  /** Checks a target now; during a check, once more as soon as that has ended. */
  check(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    if (entry.isChecking) entry.isDue = true;
    else void this.#check(entry);
  }

  /** Ends the polling of a target, and aborts the check under way. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    entry?.cancelTimer();
    entry?.abort.abort();
  }

  /** Forgets all targets. */
  close(): void {
    for (const key of [...this.#entries.keys()]) this.forget(key);
  }

  async #check(entry: Entry<Target>): Promise<void> {
    const { clock, check, onResult, pauseMs } = this.#options;
    const { key, target, abort } = entry;
    entry.cancelTimer();
    Object.assign(entry, { isChecking: true, isDue: false });
    const result = await check(target, abort.signal);
    if (abort.signal.aborted) return;
    onResult(key, target, result);
    if (this.#entries.get(key) !== entry) return;
    entry.isChecking = false;
    if (entry.isDue) return this.#check(entry);
    entry.cancelTimer = clock.after(pauseMs(target), () => void this.#check(entry));
  }
}
