/** One part of the suites, such as the first of three. */
export interface Shard {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
}

/**
 * Parses a shard such as `1/3`.
 * @throws Error with the expected format
 */
export function parseShard(text: string): Shard {
  const [, index, count] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (index === undefined || count === undefined || index < 1 || index > count)
    throw new Error(`--shard ${text}: invalid shard; write it as NUMBER/COUNT, such as 1/3`);
  return { index, count };
}

/**
 * Returns the suites of a shard. All shards together contain every suite once, and take about the same time.
 */
export function shardOf<T extends { readonly file: string; readonly seconds: number }>(
  suites: readonly T[],
  { index, count }: Shard,
): T[] {
  const shards = Array.from({ length: count }, (): { seconds: number; suites: T[] } => ({
    seconds: 0,
    suites: [],
  }));
  for (const suite of suites.toSorted(
    (a, b) => b.seconds - a.seconds || (a.file < b.file ? -1 : 1),
  )) {
    const lightest = shards.reduce((one, other) => (other.seconds < one.seconds ? other : one));
    lightest.seconds += suite.seconds;
    lightest.suites.push(suite);
  }
  return shards[index - 1]?.suites ?? [];
}
