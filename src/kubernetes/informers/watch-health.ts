/** Tracks the contact of a cache with its API server: the time of the last response, and the last error. */
import type { Clock } from '../time/clock.ts';
import {
  freshnessOf,
  WATCH_TIMES,
  watchFailure,
  type Freshness,
  type WatchFailure,
  type WatchReport,
  type WatchTimes,
} from './freshness.ts';
import type { Reader } from '../client/call-gate.ts';

export interface WatchHealthOptions {
  readonly client: Pick<Reader, 'askedSince'>;
  readonly clock: Clock;
  readonly watchTimes?: WatchTimes;
}

/** Time of the last response and last error of one cache. */
export class WatchHealth {
  readonly #options: WatchHealthOptions;
  #since: number;
  #failure: WatchFailure | undefined;

  constructor(options: WatchHealthOptions) {
    this.#options = options;
    this.#since = options.clock.monotonic();
  }

  get times(): WatchTimes {
    return this.#options.watchTimes ?? WATCH_TIMES;
  }

  /** Error of the last call; undefined if it succeeded. */
  get failure(): WatchFailure | undefined {
    return this.#failure;
  }

  /** Records that the cache starts, or that it received data from the API server. */
  heard(): void {
    this.#failure = undefined;
    this.#since = this.#options.clock.monotonic();
  }

  /** Records the error of a call. */
  failed(verb: WatchFailure['verb'], error: unknown): WatchFailure {
    return (this.#failure = watchFailure(verb, error));
  }

  /** Milliseconds since the last response, or since the cache was allowed to call the API server. */
  get ageMs(): number {
    return this.#options.clock.monotonic() - this.#lastContact;
  }

  /** Current freshness. @param of what is watched, and whether the cache ever held a complete list */
  freshness(of: Pick<WatchReport, 'resource' | 'namespace' | 'hasSynced'>): Freshness {
    const report = { ...of, since: this.#lastContact, failure: this.#failure };
    return freshnessOf(report, this.#options.clock.monotonic(), this.times.deadlineMs);
  }

  get #lastContact(): number {
    return Math.max(this.#since, this.#options.client.askedSince?.() ?? this.#since);
  }
}
