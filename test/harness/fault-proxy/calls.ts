/** Classifies requests to an API server for the fault proxy. Pure functions. */

/** API server that receives the request: that of the host cluster, or that of the control plane. */
export type Place = 'host' | 'inside';

/** Selects the possible faults: only a write can take effect on the server although the client gets no response. */
export type Sort = 'read' | 'watch' | 'write';

/** Request without the parts that differ between runs. */
export interface Call {
  /** For example `host PATCH /api/v1/namespaces/NAMESPACE/services/karmada-etcd`. */
  readonly what: string;
  readonly sort: Sort;
}

export interface Asked {
  readonly place: Place;
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly body?: string;
}

/**
 * Classifies a request for the fault rules.
 * @param namespace namespace of the run, replaced by the same name in every run
 * @returns undefined for requests that the proxy forwards without faults: leases, whose loss ends the process, and
 * Events
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

/** For a create request the object name is only in the body. */
function nameIn(body: string | undefined): string {
  const { metadata } = JSON.parse(body ?? '{}') as { metadata?: { name?: string } };
  return metadata?.name ?? '';
}
