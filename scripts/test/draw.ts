import { createHash } from 'node:crypto';

const rank = (seed: number, title: string): string =>
  createHash('sha256')
    .update(`${String(seed)} ${title}`)
    .digest('hex');

/**
 * Orders titles by the seed. The same seed gives the same order, also if other titles are added, and different seeds
 * put every title first.
 */
export function drawOrder(titles: readonly string[], seed: number): string[] {
  const ranks = new Map(titles.map((title) => [title, rank(seed, title)]));
  const rankOf = (title: string): string => ranks.get(title) ?? '';
  return titles.toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1));
}

/**
 * Selects titles by the seed.
 * @param titles each once
 * @returns `count` titles in their original order, or all of them if there are fewer
 */
export function draw(titles: readonly string[], count: number, seed: number): string[] {
  const chosen = new Set(drawOrder(titles, seed).slice(0, count));
  return titles.filter((title) => chosen.has(title));
}
