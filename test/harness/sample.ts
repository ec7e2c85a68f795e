/** Deterministic random numbers in [0, 1) from a seed (mulberry32): the same seed repeats a run. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Seed of this run, printed by the test command; a suite run by itself uses 1. */
export const seed = Number(process.env['KARMADA_TEST_SEED'] ?? 1);

/** Whether long suites run whole (`npm run test:all`). */
export const runsAll = process.env['KARMADA_TEST_TIER'] === 'all';

/** All of the items in a full run, else `count` of them chosen by the run's seed, in their order. */
export function sampled<T>(items: readonly T[], count: number): T[] {
  if (runsAll || items.length <= count) return [...items];
  const random = seededRandom(seed);
  const ranked = items.map((item, index) => ({ item, index, rank: random() }));
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, count)
    .sort((a, b) => a.index - b.index)
    .map(({ item }) => item);
}

/** All of the items in a full run, else one chosen by the run's seed from each of `count` equal parts. */
export function spread<T>(items: readonly T[], count: number): T[] {
  if (runsAll || items.length <= count) return [...items];
  const random = seededRandom(seed);
  const size = items.length / count;
  return Array.from({ length: count }, (_, part) => Math.floor((part + random()) * size)).flatMap(
    (index) => items.slice(index, index + 1),
  );
}
