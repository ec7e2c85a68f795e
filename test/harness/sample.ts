import { appendFileSync } from 'node:fs';
import { draw } from '../../scripts/test/draw.ts';
import { readLedger } from '../../scripts/test/ledger.ts';
import { checkout } from '../embedded-cluster/paths.ts';

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
 * Selects cases of a suite: all of them in a full run. Otherwise cases that failed, cases that passed longest ago,
 * and some selected by the seed.
 * @param suite name of the suite, for example `e2e/operator-crash`
 * @param titleOf title of the case, as passed to jest or `recordCase`
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
    // Jest prefixes the titles of the describe blocks.
    case: titles.find((title) => row.case === title || row.case.endsWith(` ${title}`)) ?? row.case,
  }));
  const chosen = new Set(draw(titles, count, known, seed));
  return items.filter((item) => chosen.has(titleOf(item)));
}

/** Records a passed case that is not a jest test of its own, for the ledger of a full run. */
export function recordCase(suite: string, title: string, milliseconds: number): void {
  const file = process.env['KARMADA_TEST_CASES'];
  if (file === undefined) return;
  const seconds = Math.round(milliseconds / 100) / 10;
  appendFileSync(file, `${JSON.stringify({ suite, case: title, seconds })}\n`);
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
