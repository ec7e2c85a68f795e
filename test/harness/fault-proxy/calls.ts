/** What a request to an API server is to the fault proxy: pure. */

/** The two API servers that an operator talks to: the host's, and that of the control plane. */
export type Place = 'host' | 'inside';

/** Faults differ by it: only a write may have happened although nobody said so. */
export type Sort = 'read' | 'watch' | 'write';

/** A request by what it does, without what differs from run to run. */
export interface Call {
  /** Such as `host PATCH /api/v1/namespaces/NAMESPACE/services/karmada-etcd`. */
  readonly what: string;
  readonly sort: Sort;
}

export interface Asked {
  readonly place: Place;
  readonly method: string;
  /** Path with its query. */
  readonly url: string;
  readonly body?: string;
}

/**
 * @param namespace the namespace of the run, which gets the same name in every run
 * @returns undefined for what is passed on unseen: leases, whose loss ends the process, and Events
 */
export function callOf({ place, method, url, body }: Asked, namespace: string): Call | undefined {
  const { pathname, searchParams } = new URL(url, 'https://localhost');
  const created = method === 'POST' ? [nameIn(body)] : [];
  const segments = [...pathname.split('/'), ...created];
  if (segments.some((segment) => segment === 'leases' || segment === 'events')) return undefined;
  const path = segments.map((segment) => (segment === namespace ? 'NAMESPACE' : segment)).join('/');
  const watches = searchParams.get('watch') === 'true';
  const dry = searchParams.has('dryRun') ? ' as a dry run' : '';
  const verb = watches ? 'WATCH' : method;
  const sort = watches ? 'watch' : method === 'GET' || dry !== '' ? 'read' : 'write';
  return { what: `${place} ${verb} ${path}${dry}`, sort };
}

/** A new object has its name in the body only. */
function nameIn(body: string | undefined): string {
  const { metadata } = JSON.parse(body ?? '{}') as { metadata?: { name?: string } };
  return metadata?.name ?? '';
}
