/** Lists that a reconcile reads live, of which it needs only some objects or fields. */
import type { ListOptions } from '../client/client-interface.ts';
import { sizeOf } from './cache-quota/size-of.ts';
import { tooLarge } from '../client/limits.ts';
import type { KubernetesObject } from '../objects/object.ts';

/** Maximum length of what is kept of a list, in characters. */
const MAX_KEPT = 8 * 1_048_576;

/**
 * Options of a list that keeps only what a caller needs. The author of a namespace decides how many other objects it contains, and how
 * large they are.
 * @param reduce returns what to keep of an object; undefined for nothing. What it keeps must not share text with the rest
 * @returns options with which a list throws NetworkError when it keeps too much
 */
export const reducedTo = <T extends KubernetesObject>(
  reduce: (object: T) => T | undefined,
): Pick<ListOptions<T>, 'transform'> => ({
  transform: () => {
    let size = 0;
    return {
      reduce(object) {
        const kept = reduce(object);
        size += kept === undefined ? 0 : sizeOf(kept);
        if (size > MAX_KEPT) throw tooLarge('list', 'what the operator needs of it', MAX_KEPT);
        return kept;
      },
      kept: () => size,
    };
  },
});

/** Options of a list that keeps only some objects, see `reducedTo`. */
export const onlyThose = <T extends KubernetesObject>(
  isKept: (object: T) => boolean,
): Pick<ListOptions<T>, 'transform'> =>
  reducedTo<T>((object) => (isKept(object) ? object : undefined));
