/** Quantiles of a histogram of Prometheus. Pure functions. */

/** Number of values up to each upper bound, in ascending order. */
export type Buckets = readonly (readonly [bound: number, count: number])[];

const boundOf = (text: string): number => (text === '+Inf' ? Infinity : Number(text));

/** Reads the buckets of a histogram without labels from the text of a scrape. */
export function bucketsOf(scrape: string, name: string): Buckets {
  const lines = scrape.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"\\} (\\d+)$`, 'gm'));
  return [...lines].map(([, bound = '', count]) => [boundOf(bound), Number(count)]);
}

/** Returns the values between two scrapes of one process. */
export const bucketsSince = (now: Buckets, before: Buckets): Buckets =>
  now.map(([bound, count], index) => [bound, count - (before[index]?.[1] ?? 0)]);

/** Returns the upper bound of the bucket that contains a quantile. @returns undefined without values */
export function quantileBound(buckets: Buckets, share: number): number | undefined {
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total === 0) return undefined;
  return buckets.find(([, count]) => count >= total * share)?.[0];
}
