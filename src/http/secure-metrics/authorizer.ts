/**
 * Authenticates and authorizes scrapes as kube-rbac-proxy and controller-runtime do: the API server checks the bearer
 * token (TokenReview), and whether its user may `get` the path (SubjectAccessReview).
 */
import { createHash } from 'node:crypto';
import type { Clock, Log } from '../../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { errorText } from '../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Origin, Origins } from '../../kubernetes/fairness/origin.ts';
import { apiVersionOf, resources } from '../../kubernetes/objects/resources.ts';
import { RecentVerdicts, type Verdict } from './recent-verdicts.ts';
import { ReviewSlots } from './review-slots.ts';

export interface AuthorizerOptions {
  readonly client: Pick<KubernetesClient, 'create'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Gives the reviews a share of the rate limit, apart from other calls of the operator. */
  readonly origins?: Pick<Origins, 'run'> | undefined;
}

/** The reviews take turns with the other calls of the operator, however many tokens clients send. */
const ORIGIN: Origin = { flow: { group: '', tenant: 'metrics' }, priority: 'normal' };
/** Time of one decision, also while it waits for the rate limit. */
const TIMEOUT_MS = 5_000;
/** Longest token that is sent to the API server, in characters. */
const MAX_TOKEN_LENGTH = 16_384;

/** Client of a request. */
export interface ScrapeClient {
  /** Remote address of its connection. */
  readonly address: string;
  /** Aborted when it has closed its connection. */
  readonly gone?: AbortSignal;
}

/** A decision in progress. */
interface Review {
  readonly verdict: Promise<Verdict>;
  readonly abort: AbortController;
  /** Requests that wait for the verdict. */
  waiting: number;
}

interface ReviewedUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Decides about scrapes. Equal requests share one decision for a short time. Requests without a free slot get 503 at once, so that they do
 * not fill a queue.
 */
export class ScrapeAuthorizer {
  readonly #options: AuthorizerOptions;
  // All by digest of path and token. No token stays in memory.
  readonly #recent = new RecentVerdicts();
  readonly #reviews = new Map<string, Review>();
  readonly #slots = new ReviewSlots();

  constructor(options: AuthorizerOptions) {
    this.#options = options;
  }

  /**
   * @param path of the request, without query
   * @param header value of `Authorization`
   * @returns the verdict; never rejects
   */
  async verdict(path: string, header: string | undefined, client: ScrapeClient): Promise<Verdict> {
    const decided = await this.#verdictOf(path, header, client);
    if (decided === 200) this.#slots.accepted(client.address, this.#options.clock.monotonic());
    return decided;
  }

  async #verdictOf(
    path: string,
    header: string | undefined,
    client: ScrapeClient,
  ): Promise<Verdict> {
    const token = tokenOf(header);
    if (token === undefined) return 401;
    const key = createHash('sha256')
      .update(JSON.stringify([path, token]))
      .digest('hex');
    const now = this.#options.clock.monotonic();
    const known = this.#recent.get(key, now);
    if (known !== undefined) return known;
    const present = this.#reviews.get(key);
    if (present !== undefined) return wait(present, client.gone);
    const isTrusted = this.#recent.isTrusted(key, now);
    const release = this.#slots.take({ address: client.address, isTrusted, now });
    if (release === undefined) return 503;
    const abort = new AbortController();
    const verdict = this.#inTime(path, token, abort).then((decided) => {
      release();
      this.#reviews.delete(key);
      this.#recent.add(key, decided, this.#options.clock.monotonic());
      return decided;
    });
    const review: Review = { verdict, abort, waiting: 0 };
    this.#reviews.set(key, review);
    return wait(review, client.gone);
  }

  /** Never rejects. */
  async #inTime(path: string, token: string, abort: AbortController): Promise<Verdict> {
    const cancel = this.#options.clock.after(TIMEOUT_MS, () => abort.abort());
    const decide = (): Promise<Verdict> => this.#decide(path, token, abort.signal);
    try {
      return await (this.#options.origins?.run(ORIGIN, decide) ?? decide());
    } finally {
      cancel();
    }
  }

  async #decide(path: string, token: string, signal: AbortSignal): Promise<Verdict> {
    try {
      const reviewed = await this.#review<{
        readonly authenticated?: boolean;
        readonly user?: ReviewedUser;
      }>('TokenReview', { token }, signal);
      if (reviewed?.authenticated !== true) return 401;
      const { user: { username = '', uid, groups, extra } = {} } = reviewed;
      const nonResourceAttributes = { path, verb: 'get' };
      const spec = { nonResourceAttributes, user: username, uid, groups, extra };
      const access = await this.#review<{ readonly allowed?: boolean }>(
        'SubjectAccessReview',
        spec,
        signal,
      );
      return access?.allowed === true ? 200 : 403;
    } catch (error) {
      this.#options.log.warn({ error: errorText(error) }, 'scrape not authorized: review failed');
      return 503;
    }
  }

  async #review<Status>(
    kind: 'TokenReview' | 'SubjectAccessReview',
    spec: object,
    signal: AbortSignal,
  ): Promise<Status | undefined> {
    // The TypeScript type requires a name, but reviews have none.
    const review: KubernetesObject & { readonly status?: Status } = {
      apiVersion: apiVersionOf(resources[kind]),
      kind,
      metadata: { name: '' },
      spec,
    };
    const { status } = await this.#options.client.create(review, { timeoutMs: TIMEOUT_MS, signal });
    // The rate limit lets an aborted call proceed.
    signal.throwIfAborted();
    return status;
  }
}

/** Waits for a verdict. The review ends when no client waits for it any more. */
async function wait(review: Review, gone?: AbortSignal): Promise<Verdict> {
  const leave = (): void => {
    review.waiting -= 1;
    if (review.waiting === 0) review.abort.abort();
  };
  review.waiting += 1;
  if (gone?.aborted === true) leave();
  gone?.addEventListener('abort', leave, { once: true });
  try {
    return await review.verdict;
  } finally {
    gone?.removeEventListener('abort', leave);
  }
}

/** The bearer token of a header; undefined if there is none that could be valid (RFC 6750). */
function tokenOf(header: string | undefined): string | undefined {
  const token = /^bearer +([A-Z0-9\-._~+/]+=*)$/i.exec(header ?? '')?.[1];
  return token === undefined || token.length > MAX_TOKEN_LENGTH ? undefined : token;
}
