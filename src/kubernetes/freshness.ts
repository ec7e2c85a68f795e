/** Whether a cache still follows its API server: pure, from when it last heard from it and how its last call failed. */
import { ApiError, errorText } from './errors.ts';

/** How long watches last, and how long an API server may say nothing. */
export interface WatchTimes {
  /** A watch is renewed after this time, or up to a quarter later. */
  readonly watchSeconds: number;
  /** A cache that heard nothing for longer no longer counts as what is there. */
  readonly deadlineMs: number;
}

/**
 * A kube-apiserver sends a bookmark about once a minute, and a silent watch is cut after 75 seconds: with a restart of the
 * API server in between, a sound cache hears from it within this deadline.
 */
export const WATCH_TIMES: WatchTimes = { watchSeconds: 240, deadlineMs: 150_000 };

/** The last call of a cache, which failed. */
export interface WatchFailure {
  readonly verb: 'list' | 'watch';
  /** `reason` of the API server's answer, such as `Forbidden`; undefined when there was none. */
  readonly reason?: string;
  /** Verb, resource and cause. */
  readonly text: string;
}

/** @param error what the call threw */
export const watchFailure = (verb: WatchFailure['verb'], error: unknown): WatchFailure => ({
  verb,
  ...(error instanceof ApiError && { reason: error.reason }),
  text: errorText(error),
});

/** What a cache reports of itself; times in monotonic milliseconds. */
export interface WatchReport {
  /** Plural of the kind. */
  readonly resource: string;
  /** When it last heard from the API server, or was first allowed to ask it. */
  readonly since: number;
  readonly hasSynced: boolean;
  /** Undefined when the last call did not fail. */
  readonly failure: WatchFailure | undefined;
}

/**
 * - fresh: the cache is what is there
 * - reading: the first list is under way
 * - failing: calls have failed for longer than the deadline
 * - silent: nothing came for longer than the deadline
 */
type FreshnessState = 'fresh' | 'reading' | 'failing' | 'silent';

export interface Freshness {
  readonly state: FreshnessState;
  readonly resource: string;
  /** Why nothing may rest on it: verb, resource and cause; undefined while something may, or may soon. */
  readonly stale?: string;
  /** Whether the API server refuses the right to the call. */
  readonly isDenied?: boolean;
}

/** @param now monotonic milliseconds */
export function freshnessOf(report: WatchReport, now: number, deadlineMs: number): Freshness {
  const { resource, since, hasSynced, failure } = report;
  if (now - since <= deadlineMs) return { state: hasSynced ? 'fresh' : 'reading', resource };
  if (failure !== undefined) {
    const isDenied = DENIED.has(failure.reason);
    return { state: 'failing', resource, stale: failure.text, isDenied };
  }
  const verb = hasSynced ? 'watch' : 'list';
  const stale = `${verb} ${resource}: no answer from the API server within ${String(deadlineMs / 1_000)} s`;
  return { state: 'silent', resource, stale, isDenied: false };
}

const DENIED: ReadonlySet<string | undefined> = new Set(['Forbidden', 'Unauthorized']);

/** The first that nothing may rest on any more. */
export const firstStale = (
  sources: readonly { readonly freshness: Freshness }[],
): StaleWatch | undefined =>
  sources.map(({ freshness }) => freshness).find((one): one is StaleWatch => isStale(one));

export type StaleWatch = Freshness & { readonly stale: string };

const isStale = ({ stale }: Freshness): boolean => stale !== undefined;
