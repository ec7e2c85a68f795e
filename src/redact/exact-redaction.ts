/** Finds and replaces known values in text. Pure functions. */
import type { RedactText } from './redact-text.ts';
import { REDACTED } from './redacted.ts';

/** Shorter values are only recognized as whole words: they also occur as a part of other words. */
const SHORTEST_PART = 8;

/** Shorter values occur in every text. Also the length of the index keys. */
export const SHORTEST_VALUE = 4;

/** A part of a text: the indexes of its first character and of the one after it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds values in a text. The time does not depend on the number of values, of which there are thousands. */
interface ValueIndex {
  /** 1 for each slot of the first characters of a value. */
  readonly slots: Uint8Array;
  /** Bits of a hash that are no part of the number of a slot. */
  readonly shift: number;
  /** In ascending order. */
  readonly values: readonly string[];
  /** By value, the index of the longest other one with which it begins; -1 without one. */
  readonly beginnings: Int32Array;
  /** Shorter values count only as whole words. */
  readonly shortestPart: number;
}

/** Number of slots as a power of two. Most are empty; an index of few values is kept for each Karmada, and must be small. */
const SLOT_BITS = { least: 8, most: 20, perValue: 4 };

const slotBits = (values: number): number =>
  Math.min(
    SLOT_BITS.most,
    Math.max(SLOT_BITS.least, SLOT_BITS.perValue + Math.ceil(Math.log2(values + 1))),
  );

/** Multiplicative hash of four characters. */
const slotAt = (text: string, at: number, shift: number): number =>
  Math.imul(
    text.charCodeAt(at) ^
      (text.charCodeAt(at + 1) << 5) ^
      (text.charCodeAt(at + 2) << 10) ^
      (text.charCodeAt(at + 3) << 15),
    0x9e_37_79_b1,
  ) >>> shift;

/** A text may contain a long value in part: it was cut off. Also the time of a comparison depends on the length. */
const MAX_PIECE_LENGTH = 256;

/** Returns parts of at most 256 characters that cover a value. */
export function piecesOf(value: string): readonly string[] {
  const most = Math.max(0, value.length - MAX_PIECE_LENGTH);
  return Array.from({ length: Math.ceil(value.length / MAX_PIECE_LENGTH) }, (_, index) => {
    const start = Math.min(index * MAX_PIECE_LENGTH, most);
    return value.slice(start, start + MAX_PIECE_LENGTH);
  });
}

function indexOf(given: Iterable<string>, shortestPart: number): ValueIndex {
  const values = [...new Set([...given].flatMap(piecesOf))]
    .filter(({ length }) => length >= SHORTEST_VALUE)
    .sort((one, other) => (one < other ? -1 : 1));
  const bits = slotBits(values.length);
  const [slots, shift] = [new Uint8Array(2 ** bits), 32 - bits];
  const beginnings = new Int32Array(values.length);
  // Indexes of the values with which the present one begins: they stand directly before it.
  const open: number[] = [];
  for (const [index, value] of values.entries()) {
    slots[slotAt(value, 0, shift)] = 1;
    while (open.length > 0 && !value.startsWith(values[open.at(-1) ?? 0] ?? '')) open.pop();
    beginnings[index] = open.at(-1) ?? -1;
    open.push(index);
  }
  return { slots, shift, values, beginnings, shortestPart };
}

/**
 * Returns a function that finds exactly these values, also within other text and where they overlap, and pieces of 256 characters of
 * longer ones.
 * @param values all forms of the values; those with fewer than four characters are ignored
 * @param shortestPart length from which a value is also found within a word
 * @returns parts of the text in ascending order, which neither overlap nor touch
 */
export function valueFinder(
  values: Iterable<string>,
  shortestPart: number = SHORTEST_PART,
): (text: string) => readonly Span[] {
  const index = indexOf(values, shortestPart);
  return (text) => joined(spansIn(text, index));
}

function* spansIn(text: string, index: ValueIndex): Generator<Span> {
  for (let at = 0; at <= text.length - SHORTEST_VALUE; at += 1) {
    const length = longestAt(text, at, index);
    if (length > 0) yield { start: at, end: at + length };
  }
}

/** Joins parts that overlap or touch. @param spans in the order of their start */
export function joined(spans: Iterable<Span>): readonly Span[] {
  const found: Span[] = [];
  for (const { start, end } of spans) {
    const last = found.at(-1);
    if (last === undefined || start > last.end) found.push({ start, end });
    else if (end > last.end) found[found.length - 1] = { start: last.start, end };
  }
  return found;
}

/** Replaces parts of a text in one pass: what replaces them is not searched. @param spans see `joined` */
export function withoutSpans(text: string, spans: readonly Span[]): string {
  const parts: string[] = [];
  let shownUntil = 0;
  for (const { start, end } of spans) {
    parts.push(text.slice(shownUntil, start), REDACTED);
    shownUntil = end;
  }
  return parts.length === 0 ? text : [...parts, text.slice(shownUntil)].join('');
}

/** Returns a function that replaces exactly these values, see `valueFinder`. */
export function exactRedaction(values: Iterable<string>): RedactText {
  const find = valueFinder(values);
  return (text) => withoutSpans(text, find(text));
}

/** Length of the longest value at a position; 0 without one. */
function longestAt(text: string, at: number, index: ValueIndex): number {
  if (index.slots[slotAt(text, at, index.shift)] === 0) return 0;
  const { values, beginnings, shortestPart } = index;
  const { last, common } = lastUpTo(text, at, values);
  for (let found = last; found >= 0; found = beginnings[found] ?? -1) {
    const { length } = values[found] ?? '';
    if (length <= common && (length >= shortestPart || isWord(text, at, length))) return length;
  }
  return 0;
}

/**
 * Binary search for the last value that does not come after the rest of the text. All values with which the rest begins
 * are beginnings of this one.
 * @returns its index, and the number of characters that it has in common with the rest
 */
function lastUpTo(
  text: string,
  at: number,
  values: readonly string[],
): { readonly last: number; readonly common: number } {
  let [low, high] = [0, values.length];
  let [commonLow, commonHigh] = [0, 0];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = values[middle] ?? '';
    let common = Math.min(commonLow, commonHigh);
    while (common < value.length && value.charCodeAt(common) === text.charCodeAt(at + common))
      common += 1;
    const isUpTo =
      common === value.length || value.charCodeAt(common) < text.charCodeAt(at + common);
    if (isUpTo) [low, commonLow] = [middle + 1, common];
    else [high, commonHigh] = [middle, common];
  }
  return { last: low - 1, common: commonLow };
}

const WORD = /[A-Za-z0-9]/;

const isWord = (text: string, at: number, length: number): boolean =>
  !WORD.test(text.charAt(at - 1)) && !WORD.test(text.charAt(at + length));
