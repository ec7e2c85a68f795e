/**
 * Authenticates and authorizes scrapes as kube-rbac-proxy and controller-runtime do: the API server checks the bearer
 * token (TokenReview), and whether its user may `get` the path (SubjectAccessReview).
 */
import { createHash } from 'node:crypto';
import type { Clock, Log } from '../kubernetes/clock.ts';
import type { KubernetesClient } from '../kubernetes/client-interface.ts';
import { errorText } from '../kubernetes/errors.ts';
import type { Origin, Origins } from '../kubernetes/origin.ts';
import { apiVersionOf, resources } from '../kubernetes/resources.ts';

/** HTTP status of a request: allowed, not authenticated, not authorized, or the API server did not decide. */
export type Verdict = 200 | 401 | 403 | 503;

export interface AuthorizerOptions {
  readonly client: Pick<KubernetesClient, 'create'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Gives the reviews a share of the rate limit, apart from other calls of the operator. */
  readonly origins?: Pick<Origins, 'run'> | undefined;
}

/** The reviews take turns with the other calls of the operator, however many tokens clients send. */
const ORIGIN: Origin = { flow: { group: '', tenant: 'metrics' }, priority: 'normal' };
/** Decisions in progress. Further tokens get 503 at once, so that they do not fill a queue. */
const MOST_AT_ONCE = 8;

/** Time for which a verdict is used again, in milliseconds. A revoked token is valid for at most this long. */
const KEPT_MS = { 200: 60_000, 401: 10_000, 403: 10_000, 503: 0 } as const;
/** Verdicts in memory. More clients than this do not scrape an operator; others only guess tokens. */
const MOST_KEPT = 64;
/** Time of one decision, also while it waits for the rate limit. */
const TIMEOUT_MS = 5_000;
/** Longest token that is sent to the API server, in characters. */
const LONGEST_TOKEN = 16_384;

interface Kept {
  readonly verdict: Promise<Verdict>;
  readonly review: AbortController;
  /** Requests that wait for the verdict. */
  waiting: number;
  /** Monotonic milliseconds; undefined until the verdict is known. */
  until?: number;
}

interface ReviewedUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Decides about scrapes. Equal requests share one decision for a short time. */
export class ScrapeAuthorizer {
  readonly #options: AuthorizerOptions;
  /** By digest of path and token, oldest first. No token stays in memory. */
  readonly #kept = new Map<string, Kept>();
  #inProgress = 0;

  constructor(options: AuthorizerOptions) {
    this.#options = options;
  }

  /**
   * @param path of the request, without query
   * @param header value of `Authorization`
   * @param gone aborted when the client has closed its connection
   * @returns the verdict; never rejects
   */
  async verdict(path: string, header: string | undefined, gone?: AbortSignal): Promise<Verdict> {
    const token = tokenOf(header);
    if (token === undefined) return 401;
    const key = createHash('sha256')
      .update(JSON.stringify([path, token]))
      .digest('hex');
    const known = this.#kept.get(key);
    const now = this.#options.clock.monotonic();
    if (known !== undefined && (known.until ?? Infinity) > now) return this.#wait(known, gone);
    if (this.#inProgress >= MOST_AT_ONCE) return 503;
    const review = new AbortController();
    const kept: Kept = { verdict: this.#inTime(path, token, review), review, waiting: 0 };
    this.#keep(key, kept);
    const verdict = await this.#wait(kept, gone);
    kept.until = this.#options.clock.monotonic() + KEPT_MS[verdict];
    return verdict;
  }

  /** Waits for a verdict. The review ends when no client waits for it any more. */
  async #wait(kept: Kept, gone?: AbortSignal): Promise<Verdict> {
    const leave = (): void => {
      kept.waiting -= 1;
      if (kept.waiting === 0) kept.review.abort();
    };
    kept.waiting += 1;
    if (gone?.aborted === true) leave();
    gone?.addEventListener('abort', leave, { once: true });
    try {
      return await kept.verdict;
    } finally {
      gone?.removeEventListener('abort', leave);
    }
  }

  async #inTime(path: string, token: string, review: AbortController): Promise<Verdict> {
    this.#inProgress += 1;
    const cancel = this.#options.clock.after(TIMEOUT_MS, () => review.abort());
    const decide = (): Promise<Verdict> => this.#decide(path, token, review.signal);
    try {
      return await (this.#options.origins?.run(ORIGIN, decide) ?? decide());
    } finally {
      cancel();
      this.#inProgress -= 1;
    }
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  async #decide(path: string, token: string, signal: AbortSignal): Promise<Verdict> {
    try {
      const { authenticated, user = {} } = await this.#review<{
        readonly authenticated?: boolean;
        readonly user?: ReviewedUser;
      }>('TokenReview', { token }, signal);
      if (authenticated !== true) return 401;
      const { username = '', uid, groups, extra } = user;
      const nonResourceAttributes = { path, verb: 'get' };
      const spec = { nonResourceAttributes, user: username, uid, groups, extra };
      const { allowed } = await this.#review<{ readonly allowed?: boolean }>(
        'SubjectAccessReview',
        spec,
        signal,
      );
      return allowed === true ? 200 : 403;
    } catch (error) {
      this.#options.log.warn({ error: errorText(error) }, 'scrape not authorized: review failed');
      return 503;
    }
  }

  async #review<Status>(
    kind: 'TokenReview' | 'SubjectAccessReview',
    spec: object,
    signal: AbortSignal,
  ): Promise<Status> {
    // The TypeScript type requires a name, but reviews have none.
    const review = {
      apiVersion: apiVersionOf(resources[kind]),
      kind,
      metadata: { name: '' },
      spec,
    };
    const { status = {} } = (await this.#options.client.create(review, {
      timeoutMs: TIMEOUT_MS,
      signal,
    })) as { readonly status?: object };
    // The rate limit lets an aborted call proceed.
    signal.throwIfAborted();
    return status as Status;
  }
}

/** The bearer token of a header; undefined if there is none that could be valid (RFC 6750). */
function tokenOf(header: string | undefined): string | undefined {
  const token = /^bearer +([A-Z0-9\-._~+/]+=*)$/i.exec(header ?? '')?.[1];
  return token === undefined || token.length > LONGEST_TOKEN ? undefined : token;
}
