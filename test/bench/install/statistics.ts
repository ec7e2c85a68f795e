/** Middle and ends of some values. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Bounds of the true median, and how likely it is that it lies between them (0 to 1). */
export interface Interval {
  readonly lower: number;
  readonly upper: number;
  readonly coverage: number;
}

const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

/** Value at a position, 0 the first. @throws Error when there are fewer */
function at(values: readonly number[], index: number): number {
  const value = values[index];
  if (value === undefined) throw new Error('there are no values to summarise');
  return value;
}

/** The middle value, or the mean of the two in the middle. @throws Error for no values */
export function median(values: readonly number[]): number {
  const ordered = sorted(values);
  const half = ordered.length / 2;
  if (ordered.length % 2 === 1) return at(ordered, Math.floor(half));
  return (at(ordered, half - 1) + at(ordered, half)) / 2;
}

/** Median, least and greatest value. @throws Error for no values */
export function summarise(values: readonly number[]): Summary {
  const ordered = sorted(values);
  return { median: median(values), min: at(ordered, 0), max: at(ordered, ordered.length - 1) };
}

/**
 * Likelihood that the true median lies between the `rank`-th smallest and the `rank`-th greatest of `count` values:
 * each value falls below it with probability 1/2, so the number of those that do is binomial.
 */
export function coverage(count: number, rank: number): number {
  let outside = 0;
  let term = 2 ** -count;
  for (let below = 0; below < rank; below++) {
    outside += term;
    term *= (count - below) / (below + 1);
  }
  return Math.max(0, 1 - 2 * outside);
}

/**
 * The narrowest interval between order statistics that holds the true median at least as likely as `confidence`.
 * It asks nothing of the distribution but independence, which a bootstrap of five values could not promise either.
 * With too few values for that likelihood it spans all of them, and `coverage` says what that is worth.
 * @throws Error for no values
 */
export function medianInterval(values: readonly number[], confidence = 0.9): Interval {
  const ordered = sorted(values);
  let rank = 1;
  while (2 * (rank + 1) <= ordered.length && coverage(ordered.length, rank + 1) >= confidence) {
    rank += 1;
  }
  return {
    lower: at(ordered, rank - 1),
    upper: at(ordered, ordered.length - rank),
    coverage: coverage(ordered.length, rank),
  };
}
