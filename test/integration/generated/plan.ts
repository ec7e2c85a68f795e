/** Plans the generated objects: each field of the CRD is required in at least one object. */
import { seededRandom } from '../../harness/sample.ts';
import { decisions } from './unions.ts';

/** One object to generate. */
export interface Case {
  /** Number of hostile mutations. */
  readonly changes: number;
  /** Required fields. */
  readonly wanted: readonly string[];
  readonly seed: number;
}

/** Of five objects two have no mutation, two have one, and one has two. */
const CHANGES = [0, 1, 0, 1, 2];
/** Number of objects that cover all fields. */
export const ROUND = 200;
/** Number of required fields of an object with mutations. */
const FEW = 8;

/** Objects for several rounds; the same seed gives the same objects. */
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

/** Distributes paths evenly over `hands` objects; mutually exclusive fields go to different objects. */
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

/** Shuffles the items with the random numbers. */
function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
