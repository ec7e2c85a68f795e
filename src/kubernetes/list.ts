/** Helpers for lists: selection of objects, and reading of all pages. */
import type { ListPage, Selection } from './client-interface.ts';
import { isExpired } from './errors.ts';
import { tooLarge } from './limits.ts';
import type { KubernetesObject } from './object.ts';

/** Maximum number of restarts of a list after an expired continue token. */
const RESTARTS = 2;

/**
 * Reads all pages of a list. Restarts from the first page when a continue token has expired.
 * @param pageOf reads one page; `next` is empty for the first one
 * @throws NetworkError when all pages together are larger than the limit, which is in characters
 */
export async function listAll(
  pageOf: (next: { readonly continue?: string }) => Promise<ListPage>,
  { request, limit }: { readonly request: string; readonly limit: number },
): Promise<ListPage> {
  const items: KubernetesObject[] = [];
  let next: string | undefined;
  let size = 0;
  for (let restarts = 0; ;) {
    try {
      const page: ListPage = await pageOf(next === undefined ? {} : { continue: next });
      items.push(...page.items);
      size += page.size ?? 0;
      if (size > limit) throw tooLarge(request, 'the list', limit);
      next = page.continue;
      if (next === undefined) return { resourceVersion: page.resourceVersion, items };
    } catch (error) {
      if (next === undefined || !isExpired(error) || restarts >= RESTARTS) throw error;
      restarts += 1;
      items.length = 0;
      size = 0;
      next = undefined;
    }
  }
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
