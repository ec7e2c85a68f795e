import { describe, expect, it } from '@jest/globals';
import { bucketsOf, bucketsSince, quantileBound } from './histogram.ts';

const SCRAPE = `# TYPE wait_seconds histogram
wait_seconds_bucket{le="0.1"} 50
wait_seconds_bucket{le="1"} 98
wait_seconds_bucket{le="+Inf"} 100
wait_seconds_sum 42
other_wait_seconds_bucket{le="0.1"} 7
wait_seconds_count 100
`;

describe('quantileBound', () => {
  const buckets = bucketsOf(SCRAPE, 'wait_seconds');

  it.each([
    [0.5, 0.1],
    [0.51, 1],
    [0.98, 1],
    [0.99, Infinity],
  ])('returns for the quantile %d the upper bound %d of its bucket', (share, bound) => {
    expect(quantileBound(buckets, share)).toBe(bound);
  });

  it('counts only the values since an earlier scrape', () => {
    const before = bucketsOf(SCRAPE.replaceAll(/ (50|98|100)$/gm, ' 49'), 'wait_seconds');
    const since = bucketsSince(buckets, before);
    expect(since).toEqual([
      [0.1, 1],
      [1, 49],
      [Infinity, 51],
    ]);
    expect(quantileBound(bucketsSince(buckets, buckets), 0.5)).toBeUndefined();
  });
});
