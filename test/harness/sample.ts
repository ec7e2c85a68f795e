import { draw } from '../../scripts/test/draw.ts';

/** Deterministic random numbers in [0, 1) (mulberry32); the same seed gives the same numbers. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Seed of this run, printed by the test command; defaults to 1. */
export const seed = Number(process.env['KARMADA_TEST_SEED'] ?? 1);

/** Whether long suites run completely (`npm run test:all`). */
export const runsAll = process.env['KARMADA_TEST_TIER'] === 'all';

/**
 * Selects cases of a suite by the seed; all of them in a full run.
 * @param titleOf title of the case, which is unique
 */
export function drawn<T>(items: readonly T[], count: number, titleOf: (item: T) => string): T[] {
  if (runsAll) return [...items];
  const chosen = new Set(draw(items.map(titleOf), count, seed));
  return items.filter((item) => chosen.has(titleOf(item)));
}

/** All items in a full run; otherwise one item from each of `count` equal parts, selected by the seed. */
export function spread<T>(items: readonly T[], count: number): T[] {
  if (runsAll || items.length <= count) return [...items];
  const random = seededRandom(seed);
  const size = items.length / count;
  return Array.from({ length: count }, (_, part) => Math.floor((part + random()) * size)).flatMap(
    (index) => items.slice(index, index + 1),
  );
}
