/**
 * Verdicts of the last minutes. Accepted tokens have a place of their own, so that invalid ones, of which any client can send many, do not
 * displace them.
 */

/** HTTP status of a request: allowed, not authenticated, not authorized, or the API server did not decide. */
export type Verdict = 200 | 401 | 403 | 503;

/** Time for which a verdict is used again, in milliseconds. A revoked token is valid for at most this long. */
const KEPT_MS = { 200: 60_000, 401: 10_000, 403: 10_000 } as const;
/** Time for which an accepted token is preferred for its next review, in milliseconds. Prometheus scrapes more often. */
const TRUSTED_MS = 600_000;
/** Verdicts in memory, of accepted and of other tokens. More clients than this do not scrape an operator; others only guess tokens. */
const MAX_KEPT = 64;

export class RecentVerdicts {
  /** Time of the last acceptance in monotonic milliseconds by key, oldest first. */
  readonly #accepted = new Map<string, number>();
  readonly #refused = new Map<string, { readonly verdict: Verdict; readonly until: number }>();

  /** @returns the verdict that is still used; undefined if a review is necessary. @param now monotonic milliseconds */
  get(key: string, now: number): Verdict | undefined {
    const at = this.#accepted.get(key);
    if (at !== undefined && now < at + KEPT_MS[200]) return 200;
    const refused = this.#refused.get(key);
    return refused !== undefined && now < refused.until ? refused.verdict : undefined;
  }

  /** Whether the last review that decided accepted the token, within the last 10 minutes. */
  isTrusted(key: string, now: number): boolean {
    const at = this.#accepted.get(key);
    return at !== undefined && now < at + TRUSTED_MS;
  }

  add(key: string, verdict: Verdict, now: number): void {
    if (verdict === 503) return;
    this.#accepted.delete(key);
    this.#refused.delete(key);
    if (verdict === 200) keepNewest(this.#accepted, [key, now], MAX_KEPT);
    else keepNewest(this.#refused, [key, { verdict, until: now + KEPT_MS[verdict] }], MAX_KEPT);
  }
}

/** Makes an entry the newest one, and removes the oldest one above a number of entries. */
export function keepNewest<Value>(
  map: Map<string, Value>,
  [key, value]: readonly [string, Value],
  most: number,
): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
