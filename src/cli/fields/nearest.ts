/** Finds the name that a user probably meant (pure function). */

/** One wrong, missing, additional or exchanged character for each so many characters of the name. */
const CHARACTERS_PER_ERROR = 4;
const MAX_ERRORS = 3;

/**
 * Returns the name that differs least from another one, without regard to upper and lower case.
 * @returns undefined if no name is similar
 */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const given = name.toLowerCase();
  const limit = Math.min(MAX_ERRORS, Math.floor(name.length / CHARACTERS_PER_ERROR));
  const [best] = candidates
    .filter((candidate) => Math.abs(candidate.length - name.length) <= limit)
    .map((candidate) => ({ candidate, errors: errorsBetween(given, candidate.toLowerCase()) }))
    .filter(({ errors }) => errors <= limit)
    .toSorted((one, other) => one.errors - other.errors);
  return best?.candidate;
}

/** Optimal string alignment distance: insertions, deletions, substitutions, and exchanges of neighbors. */
function errorsBetween(one: string, other: string): number {
  let [beforeLast, last]: [readonly number[], readonly number[]] = [[], range(other.length + 1)];
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isEqual = one[row - 1] === other[column - 1];
      const isExchanged = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next.push(
        Math.min(
          at(last, column) + 1,
          at(next, column - 1) + 1,
          at(last, column - 1) + (isEqual ? 0 : 1),
          row > 1 && column > 1 && isExchanged ? at(beforeLast, column - 2) + 1 : Infinity,
        ),
      );
    }
    [beforeLast, last] = [last, next];
  }
  return at(last, other.length);
}

const range = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity;
