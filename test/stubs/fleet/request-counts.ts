/** Counts the requests of the operator to API servers. Requests of other clients do not count. */
import { parsePath } from '../api/request-path.ts';
import { StubApi } from '../api/stub-api.ts';

/** API server of the host cluster, or those of the control planes. */
export type Target = 'host' | 'inside';

/** Number of requests by method and resource, such as `PATCH secrets/NAME`. */
export type Counts = Readonly<Record<string, number>>;
export type CountsByTarget = Readonly<Record<Target, Counts>>;

export interface CountedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { readonly 'user-agent'?: string | undefined };
}

const OPERATOR = /^karmada-operator\//;
/** The operator renews its Leases and writes Events at any time. */
const UNCOUNTED: ReadonlySet<string> = new Set(['leases', 'events']);
/** Reviews and dry runs change nothing. */
const READS = /^GET |selfsubject\w+reviews| \(dry run\)$/;

/** Returns the sum of all requests. */
export const totalOf = (counts: Counts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Returns the requests that change an object. */
export const writesOf = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([name]) => !READS.test(name)));

/** @returns undefined for watches, and for requests that do not count */
function nameOf({ method, url, headers }: CountedRequest): string | undefined {
  if (!OPERATOR.test(headers['user-agent'] ?? '') || StubApi.isWatch({ method, url }))
    return undefined;
  const { pathname, searchParams } = new URL(url, 'https://stub');
  const path = parsePath(pathname);
  if (path === undefined) return `${method} ${pathname}`;
  const { plural, name, subresource } = path;
  if (UNCOUNTED.has(plural)) return undefined;
  const parts = [plural, name === undefined ? undefined : 'NAME', subresource];
  const target = parts.filter((part) => part !== undefined).join('/');
  return `${method} ${target}${searchParams.get('dryRun') === 'All' ? ' (dry run)' : ''}`;
}

export class RequestCounts {
  #counts: Record<Target, Map<string, number>> = { host: new Map(), inside: new Map() };
  readonly #omitted: string;

  /** @param omitted namespace of the host cluster whose requests do not count */
  constructor(omitted: string) {
    this.#omitted = `/namespaces/${omitted}/`;
  }

  record(target: Target, request: CountedRequest): void {
    if (target === 'host' && request.url.includes(this.#omitted)) return;
    const name = nameOf(request);
    if (name === undefined) return;
    const counts = this.#counts[target];
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }

  /** Requests since the last reset. */
  get counts(): CountsByTarget {
    const { host, inside } = this.#counts;
    return { host: Object.fromEntries(host), inside: Object.fromEntries(inside) };
  }

  reset(): void {
    this.#counts = { host: new Map(), inside: new Map() };
  }
}
