import { describe, expect, it } from '@jest/globals';
import { coverage, median, medianInterval, summarise } from './statistics.ts';

describe('benchmark statistics', () => {
  it.each([
    { values: [3], expected: 3 },
    { values: [3, 1, 2], expected: 2 },
    { values: [4, 1, 3, 2], expected: 2.5 },
    { values: [10, 9, 100, 8, 11], expected: 10 },
  ])('returns the median of $values', ({ values, expected }) => {
    expect(median(values)).toBe(expected);
  });

  it('sorts numerically without a change of the input', () => {
    const values = [10, 9, 100];
    expect(summarise(values)).toEqual({ median: 10, min: 9, max: 100 });
    expect(values).toEqual([10, 9, 100]);
  });

  it.each([
    { count: 1, rank: 1, expected: 0 },
    { count: 2, rank: 1, expected: 0.5 },
    { count: 5, rank: 1, expected: 0.9375 },
    { count: 5, rank: 2, expected: 0.625 },
    { count: 8, rank: 2, expected: 1 - (2 * 9) / 256 },
    { count: 10, rank: 2, expected: 1 - (2 * 11) / 1024 },
  ])('returns the coverage of rank $rank among $count values', ({ count, rank, expected }) => {
    expect(coverage(count, rank)).toBeCloseTo(expected, 12);
  });

  it.each([
    { values: [0.4, 0.5], lower: 0.4, upper: 0.5, covered: 0.5 },
    { values: [0.4, 0.5, 0.3, 0.6, 0.45], lower: 0.3, upper: 0.6, covered: 0.9375 },
    { values: [1, 2, 3, 4, 5, 6, 7, 8], lower: 2, upper: 7, covered: 1 - 18 / 256 },
  ])(
    'returns the confidence interval of the median of $values',
    ({ values, lower, upper, covered }) => {
      const interval = medianInterval(values);
      expect(interval).toMatchObject({ lower, upper });
      expect(interval.coverage).toBeCloseTo(covered, 12);
    },
  );

  it('throws an error when there are no values', () => {
    for (const summary of [median, summarise, medianInterval] as const) {
      expect(() => summary([])).toThrow('no values');
    }
  });
});
