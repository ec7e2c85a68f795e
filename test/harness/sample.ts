import { appendFileSync } from 'node:fs';
import { draw } from '../../scripts/test/draw.ts';
import { readLedger } from '../../scripts/test/ledger.ts';
import { checkout } from '../cluster/paths.ts';

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

/**
 * Some of the many like cases of a suite: all of them in a full run, else those that failed, those that passed longest
 * ago, and some chosen by the seed.
 * @param suite such as `e2e/kill`
 * @param titleOf title of the case, as jest or `recordCase` gets it
 */
export function drawn<T>(
  suite: string,
  items: readonly T[],
  count: number,
  titleOf: (item: T) => string,
): T[] {
  if (runsAll) return [...items];
  const titles = items.map(titleOf);
  const known = readLedger(checkout, suite).map((row) => ({
    ...row,
    // Jest puts the titles of the describe blocks before that of the case.
    case: titles.find((title) => row.case === title || row.case.endsWith(` ${title}`)) ?? row.case,
  }));
  const chosen = new Set(draw(titles, count, known, seed));
  return items.filter((item) => chosen.has(titleOf(item)));
}

/** Notes that a case passed which is not a test of jest's own, for the record of a full run. */
export function recordCase(suite: string, title: string, milliseconds: number): void {
  const file = process.env['KARMADA_TEST_CASES'];
  if (file === undefined) return;
  const seconds = Math.round(milliseconds / 100) / 10;
  appendFileSync(file, `${JSON.stringify({ suite, case: title, seconds })}\n`);
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
