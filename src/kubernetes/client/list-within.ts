import type {
  KubernetesClient,
  ListOptions,
  ListPage,
  ListTransform,
  PageOptions,
} from './client-interface.ts';
import type { Limits } from './limits.ts';
import { listAll } from './list.ts';
import type { LongResponses } from './long-responses.ts';
import type { KubernetesObject } from '../objects/object.ts';
import type { ResourceType } from '../objects/resources.ts';

interface Bounds extends Pick<LongResponses, 'keep'> {
  readonly limits: Pick<Limits, 'list' | 'unreduced'>;
}

/**
 * Lists all pages within the limits of an API server, and counts what its reader keeps.
 * @throws NetworkError when the list, or all that a reconcile keeps, is too long; errors of the pages and of the transform
 */
export async function listWithin<T extends KubernetesObject>(
  client: Pick<KubernetesClient, 'listPage'>,
  type: ResourceType<T>,
  { pageSize, transform, ...options }: ListOptions<T>,
  { limits: { list: most, unreduced = most }, keep }: Bounds,
): Promise<ListPage<T>> {
  const request = `list ${type.plural}`;
  const { maxBytes: limit = transform === undefined ? unreduced : most, ...page } = options;
  const readPage = async (next: PageOptions): Promise<ListPage<T>> => {
    const read = await client.listPage(type, { ...page, ...next });
    if (transform === undefined) keep(read.size ?? 0, request);
    return read;
  };
  let last: ListTransform<T> | undefined;
  const found = await listAll(readPage, {
    ...{ request, limit },
    ...(pageSize !== undefined && { pageSize }),
    ...(transform && {
      transform: () => {
        last = transform();
        return last;
      },
    }),
  });
  keep(last?.kept?.() ?? 0, request);
  return found;
}
