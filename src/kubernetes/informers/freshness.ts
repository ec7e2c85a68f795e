/** Pure functions that decide whether a cache is fresh, from the time of the last response and the last error. */
import { ApiError, errorText } from '../client/errors.ts';

/** Durations of watches. */
export interface WatchTimes {
  /** Duration of a watch in seconds; jitter adds up to a quarter. */
  readonly watchSeconds: number;
  /** Time without a response after which a cache is stale, in milliseconds. */
  readonly deadlineMs: number;
}

/**
 * kube-apiserver sends a bookmark about once a minute, and the operator closes a watch without data after 75 seconds.
 * The deadline leaves time for a restart of the API server in between.
 */
export const WATCH_TIMES: WatchTimes = { watchSeconds: 240, deadlineMs: 150_000 };

/** Error of the last call of a cache. */
export interface WatchFailure {
  readonly verb: 'list' | 'watch';
  /** `reason` in the response of the API server, such as `Forbidden`; undefined if there was no response. */
  readonly reason?: string;
  /** Verb, resource and cause. */
  readonly text: string;
}

/** Converts the error of a list or watch to a WatchFailure. */
export const watchFailure = (verb: WatchFailure['verb'], error: unknown): WatchFailure => ({
  verb,
  ...(error instanceof ApiError && { reason: error.reason }),
  text: errorText(error),
});

/** Input for the freshness of a cache. Times are monotonic milliseconds. */
export interface WatchReport {
  /** Plural of the kind. */
  readonly resource: string;
  /** The only watched namespace, if it is not the whole cluster. */
  readonly namespace?: string;
  /** Time of the last data from the API server, or time from which the cache was allowed to call it. */
  readonly since: number;
  readonly hasSynced: boolean;
  /** Undefined if the last call succeeded. */
  readonly failure: WatchFailure | undefined;
}

/**
 * - fresh: the cache is up to date
 * - reading: the first list is in progress
 * - failing: calls have failed for longer than the deadline
 * - silent: the API server sent no data for longer than the deadline
 */
type FreshnessState = 'fresh' | 'reading' | 'failing' | 'silent';

/** Freshness of a cache. */
export interface Freshness {
  readonly state: FreshnessState;
  readonly resource: string;
  readonly namespace?: string;
  /** Reason why the cache is stale and must not be used for decisions: verb, resource and cause. */
  readonly stale?: string;
  /** Whether the API server denies the call (401 or 403). */
  readonly isDenied?: boolean;
}

/** Freshness of a cache at the time `now`. @param now monotonic milliseconds @param deadlineMs see WatchTimes */
export function freshnessOf(report: WatchReport, now: number, deadlineMs: number): Freshness {
  const { resource, namespace, since, hasSynced, failure } = report;
  const of = { resource, ...(namespace !== undefined && { namespace }) };
  if (now - since <= deadlineMs) return { state: hasSynced ? 'fresh' : 'reading', ...of };
  if (failure !== undefined) {
    return { state: 'failing', ...of, stale: failure.text, isDenied: isDenied(failure) };
  }
  const verb = hasSynced ? 'watch' : 'list';
  const stale = `${verb} ${watchedText(of)}: no response from the API server within ${String(deadlineMs / 1_000)} s`;
  return { state: 'silent', ...of, stale, isDenied: false };
}

/** Text for messages: `secrets`, or `secrets in namespace team`. */
export const watchedText = ({
  resource,
  namespace,
}: Pick<Freshness, 'resource' | 'namespace'>): string =>
  namespace === undefined ? resource : `${resource} in namespace ${namespace}`;

const DENIED: ReadonlySet<string | undefined> = new Set(['Forbidden', 'Unauthorized']);

/** Whether the API server denied the call (401 or 403). */
export const isDenied = ({ reason }: WatchFailure): boolean => DENIED.has(reason);

/** The first stale cache; undefined if all are usable. */
export const firstStale = (
  sources: readonly { readonly freshness: Freshness }[],
): StaleWatch | undefined =>
  sources.map(({ freshness }) => freshness).find((one): one is StaleWatch => isStale(one));

export type StaleWatch = Freshness & { readonly stale: string };

const isStale = ({ stale }: Freshness): boolean => stale !== undefined;
