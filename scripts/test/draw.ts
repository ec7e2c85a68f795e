import { createHash } from 'node:crypto';
import type { CaseResult } from './ledger.ts';

const rank = (seed: number, title: string): string =>
  createHash('sha256')
    .update(`${String(seed)} ${title}`)
    .digest('hex');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Chooses which of many cases run this time. Cases that failed when they ran last are always among them. Of the rest,
 * half are those that passed longest ago (never is longest), and half are chosen by the seed, which also breaks ties:
 * where nobody records results, different seeds still come to every case.
 * @param titles of all cases, each once
 * @param count how many, unless more than that failed
 * @returns titles in their given order
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
