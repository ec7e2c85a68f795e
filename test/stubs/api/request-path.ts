/** Parses paths and queries of the Kubernetes API. Pure functions. */

/** Target of a request. */
export interface RequestPath {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Such as `status`, or `proxy/readyz`. */
  readonly subresource?: string;
}

/** Subresources of a Namespace. All else behind its name is a resource in it. */
const OF_NAMESPACES: ReadonlySet<string> = new Set(['status', 'finalize']);

/** Parses a path such as `/apis/apps/v1/namespaces/a/deployments/b/status`. @returns undefined for any other path */
export function parsePath(pathname: string): RequestPath | undefined {
  const [root, ...parts] = pathname.split('/').slice(1).map(decodeURIComponent);
  if (root !== 'api' && root !== 'apis') return undefined;
  const [group, version, ...rest] = root === 'api' ? ['', ...parts] : parts;
  if (group === undefined || version === undefined) return undefined;
  const namespace = namespaceOf(rest);
  const target = targetOf(namespace === undefined ? rest : rest.slice(2));
  return target && { group, version, ...(namespace !== undefined && { namespace }), ...target };
}

/** Namespace of the resource behind it; undefined for the Namespace itself. */
function namespaceOf([first, name, ...rest]: readonly string[]): string | undefined {
  const isInside = first === 'namespaces' && rest.length > 0;
  const isSubresource = rest.length === 1 && OF_NAMESPACES.has(rest.join());
  return isInside && !isSubresource ? name : undefined;
}

function targetOf([plural, name, ...sub]: readonly string[]):
  Pick<RequestPath, 'plural' | 'name' | 'subresource'> | undefined {
  if (plural === undefined || plural === '') return undefined;
  return {
    plural,
    ...(name !== undefined && { name }),
    ...(sub.length > 0 && { subresource: sub.join('/') }),
  };
}
