/** Lists of objects. */
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { apiVersionOf } from '../../../src/kubernetes/objects/resources.ts';
import type { ServedType } from './kinds.ts';
import { fieldMatcher, labelMatcher, type Matches } from './selectors.ts';

/** What a list or a watch selects. */
export interface Selected {
  readonly matches: Matches;
  /** Changes an object for the response. */
  readonly shown: (object: KubernetesObject) => object;
}

/** @param accept header of the request, which may ask for metadata only */
export function selected(
  { namespace, name }: { readonly namespace?: string; readonly name?: string },
  query: URLSearchParams,
  accept: string,
): Selected {
  const labels = labelMatcher(query.get('labelSelector'));
  const fields = fieldMatcher(query.get('fieldSelector'));
  return {
    matches: (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      (name === undefined || object.metadata.name === name) &&
      labels(object) &&
      fields(object),
    shown: accept.includes('as=PartialObjectMetadata')
      ? ({ metadata }) => ({
          kind: 'PartialObjectMetadata',
          apiVersion: 'meta.k8s.io/v1',
          metadata,
        })
      : (object) => object,
  };
}

/** One page of a list. Its token is the key of its last object, so the next page has the objects of that time. */
export function listed(
  type: ServedType,
  { items, version }: { readonly items: readonly KubernetesObject[]; readonly version: number },
  query: URLSearchParams,
): object {
  const keyOf = ({ metadata }: KubernetesObject): string =>
    `${metadata.namespace ?? ''}/${metadata.name}`;
  const sorted = items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const after = query.get('continue');
  const rest = after === null ? sorted : sorted.filter((item) => keyOf(item) > after);
  const limit = Number(query.get('limit') ?? 0);
  const page = limit > 0 ? rest.slice(0, limit) : rest;
  const last = page.at(-1);
  const more = last !== undefined && page.length < rest.length ? { continue: keyOf(last) } : {};
  return {
    kind: `${type.kind}List`,
    apiVersion: apiVersionOf(type),
    metadata: { resourceVersion: String(version), ...more },
    items: page,
  };
}
