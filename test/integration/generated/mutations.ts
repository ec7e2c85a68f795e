/** Hostile mutations of a spec: single values, names, entries, and parts of another spec. */
import fc from 'fast-check';
import { isMapAt } from './schema.ts';
import { hostileNumber, hostileText } from './values.ts';

type Json = Readonly<Record<string, unknown>>;
type Place = readonly (string | number)[];

/** One mutation: its kind, its position, and its value. */
export interface Mutation {
  readonly kind: 'replace' | 'rename' | 'add' | 'drop' | 'double' | 'retype' | 'graft';
  /** Position as a fraction of all possible positions. */
  readonly at: number;
  readonly text: string;
  readonly number: number;
  readonly other: Json;
}

/** @param other specs to take parts from */
export function mutation(other: fc.Arbitrary<Json>): fc.Arbitrary<Mutation> {
  const kind = fc.oneof(
    { weight: 9, arbitrary: fc.constant<Mutation['kind']>('replace') },
    { weight: 2, arbitrary: fc.constant<Mutation['kind']>('rename') },
    { weight: 2, arbitrary: fc.constant<Mutation['kind']>('add') },
    { weight: 2, arbitrary: fc.constant<Mutation['kind']>('drop') },
    { weight: 2, arbitrary: fc.constant<Mutation['kind']>('double') },
    { weight: 1, arbitrary: fc.constant<Mutation['kind']>('retype') },
    { weight: 3, arbitrary: fc.constant<Mutation['kind']>('graft') },
  );
  const at = fc.double({ min: 0, max: 0.999999, noNaN: true });
  return fc.record({ kind, at, text: hostileText, number: hostileNumber, other });
}

/** Applies all mutations in order. */
export function mutated(spec: Json, mutations: readonly Mutation[]): Json {
  return mutations.reduce<Json>((made, change) => applied(made, change), spec);
}

function applied(spec: Json, change: Mutation): Json {
  const kind = change.kind;
  const places = everywhere(spec, []).filter(([place, value]) => WHERE[kind](value, place));
  const [place, value] = places[Math.floor(change.at * places.length)] ?? [[], spec];
  if (place.length === 0 && kind !== 'graft') return spec;
  return put(spec, place, CHANGE[kind](value, change, place)) as Json;
}

const isLeaf = (value: unknown): boolean => typeof value !== 'object' || value === null;
const isObject = (value: unknown): value is Json => !isLeaf(value) && !Array.isArray(value);
const isFilled = (value: unknown): boolean => isObject(value) && Object.keys(value).length > 0;

const WHERE: Readonly<Record<Mutation['kind'], (value: unknown, place: Place) => boolean>> = {
  replace: isLeaf,
  retype: isLeaf,
  rename: (value, place) => isFilled(value) && isMapAt(place),
  add: (value, place) => isFilled(value) && isMapAt(place),
  drop: isFilled,
  double: Array.isArray,
  graft: isObject,
};

type Change = (value: unknown, change: Mutation, place: Place) => unknown;

const CHANGE: Readonly<Record<Mutation['kind'], Change>> = {
  replace: (value, { text, number }) =>
    typeof value === 'number' ? number : typeof value === 'boolean' ? !value : text,
  retype: (value, { text, number }) => (typeof value === 'string' ? number : text),
  rename: (value, { text, at }) => {
    const entries = Object.entries(value as Json);
    const chosen = Math.floor(at * 997) % entries.length;
    return Object.fromEntries(
      entries.map(([key, part], index) => [index === chosen ? text : key, part]),
    );
  },
  add: (value, { text }) => ({ ...(value as Json), [text]: Object.values(value as Json)[0] }),
  drop: (value, { at }) => {
    const entries = Object.entries(value as Json);
    const chosen = Math.floor(at * 997) % entries.length;
    return Object.fromEntries(entries.filter((_, index) => index !== chosen));
  },
  double: (value) => [
    ...(value as readonly unknown[]),
    ...(value as readonly unknown[]).slice(0, 1),
  ],
  graft: (value, { other }, place) => {
    const part = at(other, place);
    return isObject(part) ? { ...(value as Json), ...part } : value;
  },
};

/** All values of a tree with their paths, the tree itself first. */
function everywhere(value: unknown, place: Place): readonly (readonly [Place, unknown])[] {
  if (isLeaf(value)) return [[place, value]];
  const parts = Array.isArray(value) ? [...value.entries()] : Object.entries(value as Json);
  return [[place, value], ...parts.flatMap(([key, part]) => everywhere(part, [...place, key]))];
}

function at(tree: unknown, place: Place): unknown {
  return place.reduce<unknown>(
    (value, key) => (isLeaf(value) ? undefined : (value as Record<string | number, unknown>)[key]),
    tree,
  );
}

function put(tree: unknown, [key, ...rest]: Place, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(tree))
    return tree.map((part, index) => (index === key ? put(part, rest, value) : part));
  const entries = Object.entries(tree as Json);
  return Object.fromEntries(
    entries.map(([name, part]) => [name, name === key ? put(part, rest, value) : part]),
  );
}
