/** Helpers for lists: selection of objects, and reading of all pages. */
import type {
  KubernetesClient,
  ListOptions,
  ListPage,
  ListTransform,
  PageOptions,
  Selection,
} from './client-interface.ts';
import type { ResourceType } from '../objects/resources.ts';
import { isExpired } from './errors.ts';
import { exceeded, isTooLarge, PAGE_BYTES, tooLarge } from './limits.ts';
import type { KubernetesObject } from '../objects/object.ts';

/** Maximum number of restarts of a list after an expired continue token. */
const RESTARTS = 2;

/** Objects of the first page, if the caller states none, and of any page at most. */
const MAX_OBJECTS = 500;
/** After a page that is too long, the next attempt has so many times fewer objects. */
const SHRINK = 8;

/** Limits and transform of a list. */
export interface ListReading<T extends KubernetesObject = KubernetesObject> extends Pick<
  ListOptions<T>,
  'pageSize' | 'transform'
> {
  /** For errors, such as `list secrets`. */
  readonly request: string;
  /** All pages together, in characters. */
  readonly limit: number;
}

/** Requests one page. `limit` is the number of objects. */
export type ReadPage<T extends KubernetesObject = KubernetesObject> = (next: {
  readonly limit: number;
  readonly continue?: string;
}) => Promise<ListPage<T>>;

/**
 * Reads all pages of a list. The number of objects of a page follows their size, so that a page of large objects is not much
 * longer than `PAGE_BYTES`, and the transform reduces a page before the next one is read. Restarts from the first page when a
 * continue token has expired.
 * @throws NetworkError when all pages together are longer than the limit; errors of `readPage` and of the transform
 */
export async function listAll<T extends KubernetesObject>(
  readPage: ReadPage<T>,
  { request, limit, pageSize = MAX_OBJECTS, transform }: ListReading<T>,
): Promise<ListPage<T>> {
  let items: T[] = [];
  let next: string | undefined;
  let [size, count, restarts, reduced] = [0, pageSize, 0, transform?.()];
  for (;;) {
    const mayRestart = next !== undefined && restarts < RESTARTS;
    const page = await readFitting(readPage, count, next).catch((error: unknown) => {
      if (!mayRestart || !isExpired(error)) throw error;
    });
    if (page === undefined) {
      [items, size, next, reduced] = [[], 0, undefined, transform?.()];
      restarts += 1;
      continue;
    }
    size += page.size ?? 0;
    if (size > limit) throw tooLarge(request, 'the list', limit);
    items = withPage(items, page, reduced);
    next = page.continue;
    if (next === undefined) return { resourceVersion: page.resourceVersion, items };
    count = nextCount(page, count);
  }
}

/** All reduced objects to keep, with those of a page. @param items may change */
function withPage<T extends KubernetesObject>(
  items: T[],
  page: ListPage<T>,
  transform: ListTransform<T> | undefined,
): T[] {
  for (const item of page.items) {
    const kept = transform === undefined ? item : transform.reduce(item);
    if (kept !== undefined) items.push(kept);
  }
  return transform?.retain?.(items) ?? items;
}

/** Reads one page, with fewer objects if they are too long. A single object is never too long for a page. */
async function readFitting<T extends KubernetesObject>(
  readPage: ReadPage<T>,
  most: number,
  token: string | undefined,
): Promise<ListPage<T>> {
  for (let limit = most; ; limit = Math.ceil(limit / SHRINK))
    try {
      return await readPage({ limit, ...(token !== undefined && { continue: token }) });
    } catch (error) {
      if (!isTooLarge(error) || limit <= 1) throw error;
    }
}

/** Number of objects of the next page: as many as fill half of `PAGE_BYTES` with the size of the present ones. */
function nextCount({ items, size = 0 }: ListPage, count: number): number {
  if (items.length === 0 || size === 0) return count;
  const fitting = Math.floor(PAGE_BYTES / 2 / (size / items.length));
  return Math.min(MAX_OBJECTS, Math.max(1, fitting));
}

/** Pages of a list that is read page by page. An API server may say without end that more pages follow. */
const MAX_PAGES = 2_000;

/**
 * Reads a list page by page, so that it need not fit into memory.
 * @param options with the size of a page as `limit`
 * @throws NetworkError when it has too many pages
 */
export async function* pagesOf<T extends KubernetesObject>(
  client: Pick<KubernetesClient, 'listPage'>,
  type: ResourceType<T>,
  options: PageOptions,
): AsyncGenerator<ListPage<T>> {
  let next: string | undefined;
  let count = 0;
  do {
    count += 1;
    if (count > MAX_PAGES)
      throw exceeded(`list ${type.plural}`, `the list has more than ${String(MAX_PAGES)} pages`);
    const page: ListPage<T> = await client.listPage(type, {
      ...options,
      ...(next !== undefined && { continue: next }),
    });
    yield page;
    next = page.continue;
  } while (next !== undefined);
}

/** Extracts the selection from options with more fields. */
export function selectionIn(options: Selection): Selection {
  const { namespace, labelSelector, fieldSelector, metadataOnly } = options;
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(metadataOnly === undefined ? {} : { metadataOnly }),
  };
}
