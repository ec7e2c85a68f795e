/** What is generated: which fields each object must have, so that every field of the CRD is in some. */
import { seededRandom } from '../../harness/sample.ts';
import { decisions } from './unions.ts';

/** One object to generate. */
export interface Case {
  /** How many hostile changes it gets. */
  readonly changes: number;
  /** Fields that it must have. */
  readonly wanted: readonly string[];
  readonly seed: number;
}

/** Of five objects two are left as they are, two get one hostile change and one gets two. */
const CHANGES = [0, 1, 0, 1, 2];
/** So many objects have all fields among them. */
export const ROUND = 200;
/** Fields that an object with hostile changes must have. */
const FEW = 8;

/** Objects for some rounds; the same seed gives the same ones. */
export function plan(paths: readonly string[], rounds: number, seed: number): readonly Case[] {
  const random = seededRandom(seed);
  return Array.from({ length: rounds }, () => round(paths, random)).flat();
}

function round(paths: readonly string[], random: () => number): readonly Case[] {
  const changes = Array.from({ length: ROUND }, (_, index) => CHANGES[index % CHANGES.length] ?? 0);
  const hands = deal(shuffled(paths, random), changes.filter((count) => count === 0).length);
  const whole = hands.values();
  const some = (): readonly string[] => hands[Math.floor(random() * hands.length)] ?? [];
  return changes.map((count) => ({
    changes: count,
    wanted: count === 0 ? (whole.next().value ?? []) : some().slice(0, FEW),
    seed: Math.floor(random() * 2 ** 31),
  }));
}

/** Deals paths out to `hands` objects, evenly; fields that exclude each other go to different ones. */
function deal(paths: readonly string[], hands: number): readonly (readonly string[])[] {
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
function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
