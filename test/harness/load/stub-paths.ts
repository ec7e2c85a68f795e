/** Parses paths and selectors of the Kubernetes API, as far as stubs need them. Pure functions. */
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';

/** Target of a request. */
export interface Target {
  /** For example `/apis/apps/v1/deployments`, without namespace. */
  readonly collection: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly labelSelector?: string;
}

/** Parses `/api/v1/namespaces/a/pods/b?labelSelector=…`; a subresource counts as the object. */
export function pathParts(url: string): Target {
  const { pathname, searchParams } = new URL(url, 'https://stub');
  const parts = pathname.split('/').slice(1).map(decodeURIComponent);
  const root = parts.splice(0, parts[0] === 'api' ? 2 : 3);
  const labelSelector = searchParams.get('labelSelector') ?? undefined;
  const scoped = parts[0] === 'namespaces' && parts.length > 2;
  const [namespace, [plural = '', name]] = scoped ? [parts[1], parts.slice(2)] : [undefined, parts];
  return {
    collection: `/${[...root, plural].join('/')}`,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(labelSelector !== undefined && { labelSelector }),
  };
}

/** Whether a list or watch of the target includes the object. */
export function selects(
  { namespace, labelSelector }: Target,
  { metadata }: KubernetesObject,
): boolean {
  if (namespace !== undefined && metadata.namespace !== namespace) return false;
  if (labelSelector === undefined) return true;
  const [, key = '', list, single] =
    /^([^ =]+) in \(([^)]*)\)$/.exec(labelSelector) ??
    /^([^ =]+)()=(.*)$/.exec(labelSelector) ??
    [];
  const values = list === undefined || list === '' ? [single] : list.split(',');
  return values.includes(metadata.labels?.[key]);
}
