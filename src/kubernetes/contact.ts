/** What a cache knows of the API server that it follows: when it last heard from it, and how its last call failed. */
import type { Clock } from './clock.ts';
import {
  freshnessOf,
  WATCH_TIMES,
  watchFailure,
  type Freshness,
  type WatchFailure,
  type WatchTimes,
} from './freshness.ts';
import type { Reader } from './gate.ts';

export interface ContactOptions {
  readonly client: Pick<Reader, 'askedSince'>;
  readonly clock: Clock;
  readonly watchTimes?: WatchTimes;
}

export class Contact {
  readonly #options: ContactOptions;
  #since = 0;
  #failure: WatchFailure | undefined;

  constructor(options: ContactOptions) {
    this.#options = options;
  }

  get times(): WatchTimes {
    return this.#options.watchTimes ?? WATCH_TIMES;
  }

  /** How the last call failed; undefined when it did not. */
  get failure(): WatchFailure | undefined {
    return this.#failure;
  }

  /** The cache begins to ask, or hears from the API server. */
  heard(): void {
    this.#failure = undefined;
    this.#since = this.#options.clock.monotonic();
  }

  failed(verb: WatchFailure['verb'], error: unknown): WatchFailure {
    return (this.#failure = watchFailure(verb, error));
  }

  /** @param of the cache: plural of its kind, and whether it ever held a complete list */
  freshness(of: { readonly resource: string; readonly hasSynced: boolean }): Freshness {
    const { client, clock } = this.#options;
    const since = Math.max(this.#since, client.askedSince?.() ?? this.#since);
    const report = { ...of, since, failure: this.#failure };
    return freshnessOf(report, clock.monotonic(), this.times.deadlineMs);
  }
}
