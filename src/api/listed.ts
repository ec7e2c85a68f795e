/** Limits the number of items that a message names, so that its length does not grow with a spec. Pure functions. */

/** Maximum number of names that a message lists for one field. */
export const MAX_NAMED = 20;

/** Returns the first items, and `and N more` in place of the others. */
export function listed(items: readonly string[]): readonly string[] {
  const others = items.length - MAX_NAMED;
  return others > 0 ? [...items.slice(0, MAX_NAMED), `and ${others} more`] : items;
}
