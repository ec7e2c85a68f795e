/** Median, minimum and maximum of values. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Confidence interval of the median; `coverage` is the confidence level (0 to 1). */
export interface Interval {
  readonly lower: number;
  readonly upper: number;
  readonly coverage: number;
}

const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

/** Returns the value at an index. @throws Error if there are fewer values */
function at(values: readonly number[], index: number): number {
  const value = values[index];
  if (value === undefined) throw new Error('there are no values to summarize');
  return value;
}

/** Returns the middle value, or the mean of the two middle values. @throws Error if there are no values */
export function median(values: readonly number[]): number {
  const ordered = sorted(values);
  const half = ordered.length / 2;
  if (ordered.length % 2 === 1) return at(ordered, Math.floor(half));
  return (at(ordered, half - 1) + at(ordered, half)) / 2;
}

/** Returns median, minimum and maximum. @throws Error if there are no values */
export function summarise(values: readonly number[]): Summary {
  const ordered = sorted(values);
  return { median: median(values), min: at(ordered, 0), max: at(ordered, ordered.length - 1) };
}

/**
 * Computes the probability that the true median is between the `rank`-th smallest and the `rank`-th largest of `count`
 * values. Each value is below the median with probability 1/2, so the number of such values is binomial.
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
 * Returns the narrowest interval between order statistics that contains the true median with at least `confidence`.
 * It only requires independent values. A bootstrap of five values would not need less.
 * With too few values for that confidence it spans all values; `coverage` is the confidence that it reaches.
 * @throws Error if there are no values
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
