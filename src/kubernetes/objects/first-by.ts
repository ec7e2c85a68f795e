/**
 * Returns the first item with each key, as `find` does for one of them. Its time is proportional to the number of items, also if a caller
 * looks up a key for each of many other objects.
 */
export const firstBy = <T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, T> =>
  new Map(items.toReversed().map((item) => [keyOf(item), item]));
