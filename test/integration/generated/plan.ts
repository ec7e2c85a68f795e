/** Which fields each of the generated objects must have, so that every field of the CRD is in one. */
import { decisions } from './unions.ts';

/** Deals paths out to `hands` objects, evenly; fields that exclude each other go to different ones. */
export function deal(paths: readonly string[], hands: number): readonly (readonly string[])[] {
  const all = Array.from({ length: hands }, () => ({
    paths: [] as string[],
    decided: new Map<string, string>(),
  }));
  paths.forEach((path, index) => {
    const wanted = decisions(path);
    const order = all.map((_, shift) => all[(index + shift) % hands]);
    const hand = order.find((candidate) =>
      [...wanted].every(([at, field]) => (candidate?.decided.get(at) ?? field) === field),
    );
    if (!hand) throw new Error(`More objects are needed for ${path}.`);
    hand.paths.push(path);
    for (const [at, field] of wanted) hand.decided.set(at, field);
  });
  return all.map((hand) => hand.paths);
}

/** The items in an order that the numbers say. */
export function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
