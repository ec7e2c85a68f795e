/** Tracks the contact of a cache with its API server: the time of the last response, and the last error. */
import type { Clock } from './clock.ts';
import {
  freshnessOf,
  WATCH_TIMES,
  watchFailure,
  type Freshness,
  type WatchFailure,
  type WatchTimes,
} from './freshness.ts';
import type { Reader } from './call-gate.ts';

export interface WatchHealthOptions {
  readonly client: Pick<Reader, 'askedSince'>;
  readonly clock: Clock;
  readonly watchTimes?: WatchTimes;
}

/** Time of the last response and last error of one cache. */
export class WatchHealth {
  readonly #options: WatchHealthOptions;
  #since = 0;
  #failure: WatchFailure | undefined;

  constructor(options: WatchHealthOptions) {
    this.#options = options;
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

  /** Current freshness. @param of plural of the kind, and whether the cache ever held a complete list */
  freshness(of: { readonly resource: string; readonly hasSynced: boolean }): Freshness {
    const { client, clock } = this.#options;
    const since = Math.max(this.#since, client.askedSince?.() ?? this.#since);
    const report = { ...of, since, failure: this.#failure };
    return freshnessOf(report, clock.monotonic(), this.times.deadlineMs);
  }
}
