import { createHash } from 'node:crypto';
import type { CaseResult } from './ledger.ts';

const rank = (seed: number, title: string): string =>
  createHash('sha256')
    .update(`${String(seed)} ${title}`)
    .digest('hex');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Selects a sample of the cases for a run. Cases that failed in their last run are always selected. Half of the others
 * are the cases that passed longest ago or never ran; the seed selects the other half. The seed also breaks ties, so
 * different seeds reach every case even if no results are recorded.
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
  if (titles.length <= count) return [...titles];
  const last = new Map(known.map((row) => [row.case, row]));
  const failed = titles.filter((title) => last.get(title)?.result === 'failed');
  const rest = titles
    .filter((title) => !failed.includes(title))
    .sort((a, b) => compare(rank(seed, a), rank(seed, b)));
  const left = Math.max(0, count - failed.length);
  const oldest = rest
    .toSorted((a, b) => compare(last.get(a)?.date ?? '', last.get(b)?.date ?? ''))
    .slice(0, Math.ceil(left / 2));
  const byChance = rest.filter((title) => !oldest.includes(title)).slice(0, left - oldest.length);
  const chosen = new Set([...failed, ...oldest, ...byChance]);
  return titles.filter((title) => chosen.has(title));
}
