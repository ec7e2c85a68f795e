/**
 * Polls targets in the background, for state without change events. At most one check of a target runs at a time. The
 * caller owns the targets and stores the results in them.
 */
import type { Clock, Log, Random } from '../time/clock.ts';
import { errorText } from './errors.ts';

/** What readers need that check in the background. */
export interface BackgroundOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Pick<Log, 'error'>;
  /** Requests a reconcile of a Karmada object (`namespace/name`). */
  readonly onChange: (key: string) => void;
}

export interface PollerOptions<Target, Result> {
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'error'>;
  /** Checks a target once. `signal` is aborted when the target is forgotten; it rejects only then. */
  readonly check: (target: Target, signal: AbortSignal) => Promise<Result>;
  /** Records the result of a check. Not called for a target that was forgotten during the check. */
  readonly onResult: (key: string, target: Target, result: Result) => void;
  /**
   * Pause until the next check in milliseconds; called after each result. Undefined: the next check starts only on
   * request.
   */
  readonly pauseMs: (target: Target) => number | undefined;
}

/** Pause after an error that no caller expects, for targets without a pause, in milliseconds. */
const FAULT_MS = 60_000;

interface Entry<Target> {
  readonly key: string;
  readonly target: Target;
  readonly abort: AbortController;
  isChecking: boolean;
  /** Whether another check was requested during the current one. */
  isDue: boolean;
  cancelTimer: () => void;
}

/** Runs periodic checks of targets by key. */
export class Poller<Target, Result> {
  readonly #options: PollerOptions<Target, Result>;
  readonly #entries = new Map<string, Entry<Target>>();
  #isClosed = false;

  constructor(options: PollerOptions<Target, Result>) {
    this.#options = options;
  }

  get(key: string): Target | undefined {
    return this.#entries.get(key)?.target;
  }

  /** Snapshot of all targets with their keys. */
  all(): readonly (readonly [string, Target])[] {
    return [...this.#entries.values()].map(({ key, target }) => [key, target]);
  }

  isChecking(key: string): boolean {
    return this.#entries.get(key)?.isChecking === true;
  }

  /** Adds a target or replaces the one with this key, and checks it now. Has no effect after `close`. */
  add(key: string, target: Target): void {
    this.forget(key);
    if (this.#isClosed) return;
    const entry = {
      key,
      target,
      abort: new AbortController(),
      isChecking: false,
      isDue: false,
      cancelTimer: () => undefined,
    };
    this.#entries.set(key, entry);
    void this.#check(entry);
  }

  /** Checks a target now. If a check is in progress, another one follows it immediately. */
  check(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    if (entry.isChecking) entry.isDue = true;
    else void this.#check(entry);
  }

  /** Stops polling a target and aborts its check in progress. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    entry?.cancelTimer();
    entry?.abort.abort();
  }

  /** Forgets all targets for good. */
  close(): void {
    this.#isClosed = true;
    for (const key of [...this.#entries.keys()]) this.forget(key);
  }

  async #check(entry: Entry<Target>): Promise<void> {
    const { clock, pauseMs } = this.#options;
    entry.cancelTimer();
    Object.assign(entry, { isChecking: true, isDue: false });
    const isRecorded = await this.#recorded(entry);
    if (this.#entries.get(entry.key) !== entry) return;
    entry.isChecking = false;
    // An error that occurs each time must not keep the operator busy.
    if (entry.isDue && isRecorded) return this.#check(entry);
    const pause = pauseMs(entry.target) ?? (isRecorded ? undefined : FAULT_MS);
    if (pause !== undefined) entry.cancelTimer = clock.after(pause, () => void this.#check(entry));
  }

  /**
   * Checks a target once. Never rejects: nothing awaits a check, and an unhandled rejection ends the operator.
   * @returns whether the result was recorded
   */
  async #recorded({ key, target, abort: { signal } }: Entry<Target>): Promise<boolean> {
    const { check, onResult, log } = this.#options;
    try {
      const result = await check(target, signal);
      if (!signal.aborted) onResult(key, target, result);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      const fields = { key, error: errorText(error) };
      log.error(fields, 'result of a check not recorded, will check again');
      return false;
    }
  }
}
