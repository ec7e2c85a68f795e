import { createHash } from 'node:crypto';
import type { CaseResult } from './ledger.ts';

const rank = (seed: number, title: string): string =>
  createHash('sha256')
    .update(`${String(seed)} ${title}`)
    .digest('hex');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the titles whose last result is a failure. */
function failedOf(titles: readonly string[], known: readonly CaseResult[]): string[] {
  const results = new Map(known.map((row) => [row.case, row.result]));
  return titles.filter((title) => results.get(title) === 'failed');
}

/**
 * Orders cases by their importance for the next run. Cases that failed in their last run are first. Then follow, in
 * turn, the case that passed longest ago or never ran, and one that the seed selects. The seed also breaks ties, so
 * different seeds reach every case even if no results are recorded.
 * @param titles titles of all cases, each once
 * @param known last results, by title
 */
export function drawOrder(
  titles: readonly string[],
  known: readonly CaseResult[],
  seed: number,
): string[] {
  const dates = new Map(known.map((row) => [row.case, row.date]));
  const failed = failedOf(titles, known);
  const byChance = titles
    .filter((title) => !failed.includes(title))
    .sort((a, b) => compare(rank(seed, a), rank(seed, b)));
  const byAge = byChance.toSorted((a, b) => compare(dates.get(a) ?? '', dates.get(b) ?? ''));
  return [
    ...new Set([...failed, ...byAge.flatMap((title, index) => [title, byChance[index] ?? title])]),
  ];
}

/**
 * Selects a sample of the cases for a run, by `drawOrder`. Cases that failed in their last run are always selected.
 * @param titles titles of all cases, each once
 * @param count number of cases to select; more if more cases failed
 * @param known last results, by title
 * @returns the selected titles in their original order
 */
export function draw(
  titles: readonly string[],
  count: number,
  known: readonly CaseResult[],
  seed: number,
): string[] {
  const failed = failedOf(titles, known);
  const order = drawOrder(titles, known, seed);
  const chosen = new Set(order.slice(0, Math.max(count, failed.length)));
  return titles.filter((title) => chosen.has(title));
}
