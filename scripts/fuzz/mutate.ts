/** Makes inputs for a parser from its seeds and tokens. Pure functions: the same random numbers make the same inputs. */
import type { UntrustedParser } from './parser.ts';

/** Returns numbers from 0 up to 1, as `Math.random` does. */
export type Random = () => number;

/** Returns the random numbers of a seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Longest input in bytes, unless the parser rejects it. Longer ones take the time of many short ones. */
const MAX_LENGTH = 262_144;
const MAX_STEPS = 8;

type Mutation = (input: Buffer, tools: MutationTools) => Buffer;

interface MutationTools {
  readonly random: Random;
  readonly seeds: readonly Buffer[];
  readonly tokens: readonly Buffer[];
  readonly longest: number;
}

const below = (random: Random, count: number): number => Math.floor(random() * count);

const one = <T>(random: Random, items: readonly T[]): T | undefined =>
  items[below(random, items.length)];

/** Replaces `length` bytes at `at`. */
const replaced = (input: Buffer, at: number, length: number, piece: Buffer): Buffer =>
  Buffer.concat([input.subarray(0, at), piece, input.subarray(at + length)]);

const token = ({ random, tokens }: MutationTools): Buffer => one(random, tokens) ?? Buffer.alloc(0);

/** Mostly few, and sometimes as many as fit into the longest input. */
function repeated(piece: Buffer, { random, longest }: MutationTools): Buffer {
  const most = Math.floor(longest / Math.max(1, piece.length));
  const count = random() < 0.9 ? below(random, 16) : below(random, most);
  return Buffer.concat(Array.from({ length: count }, () => piece));
}

const MUTATIONS: readonly Mutation[] = [
  (input, { random }) =>
    replaced(input, below(random, input.length), 1, Buffer.of(below(random, 256))),
  (input, tools) => replaced(input, below(tools.random, input.length + 1), 0, token(tools)),
  (input, tools) => replaced(input, below(tools.random, input.length), 4, token(tools)),
  (input, tools) =>
    replaced(input, below(tools.random, input.length + 1), 0, repeated(token(tools), tools)),
  (input, { random }) => input.subarray(0, below(random, input.length + 1)),
  (input, { random }) =>
    replaced(input, below(random, input.length), below(random, 32), Buffer.of()),
  (input, tools) => {
    const start = below(tools.random, input.length);
    const piece = input.subarray(start, start + below(tools.random, 64));
    return replaced(input, start, 0, repeated(piece, tools));
  },
  (input, { random, seeds }) => {
    const other = one(random, seeds) ?? input;
    return Buffer.concat([
      input.subarray(0, below(random, input.length + 1)),
      other.subarray(below(random, other.length + 1)),
    ]);
  },
];

/** Makes an input. @param kept inputs of earlier runs, in addition to the seeds of the parser */
export function newInput(
  { seeds: own, tokens, limit }: Pick<UntrustedParser, 'seeds' | 'tokens' | 'limit'>,
  kept: readonly Buffer[],
  random: Random,
): Buffer {
  const seeds = [...own, ...kept];
  // An input above the limit is rejected without parsing it, which takes one attempt of many.
  const longest = Math.min(MAX_LENGTH, limit + 1);
  const bytes = tokens.map((text) => Buffer.from(text, 'latin1'));
  const tools = { random, seeds, tokens: bytes, longest };
  let input = one(random, seeds) ?? Buffer.alloc(0);
  for (let steps = 1 + below(random, MAX_STEPS); steps > 0; steps -= 1)
    input = (one(random, MUTATIONS) ?? MUTATIONS[0])?.(input, tools).subarray(0, longest) ?? input;
  return input;
}
