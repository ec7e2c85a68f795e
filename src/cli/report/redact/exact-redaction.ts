/** Replaces known values in text. Pure functions. */
import { REDACTED, type RedactText } from '../../../redact/redact-text.ts';

/** Shorter values are only recognized as whole words: they also occur as a part of other words. */
const SHORTEST_PART = 8;

/** Shorter values occur in every text. Also the length of the index keys. */
const SHORTEST_VALUE = 4;

/** Finds values at a position. The time does not depend on the number of values, of which there are thousands. */
interface ValueIndex {
  /** 1 for each slot of the first characters of a value. */
  readonly slots: Uint8Array;
  /** Values by their first characters, the longest first. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

const SLOTS = 2 ** 20;

const slotAt = (text: string, at: number): number =>
  (text.charCodeAt(at) ^
    (text.charCodeAt(at + 1) << 5) ^
    (text.charCodeAt(at + 2) << 10) ^
    (text.charCodeAt(at + 3) << 15)) &
  (SLOTS - 1);

function indexOf(values: Iterable<string>): ValueIndex {
  const slots = new Uint8Array(SLOTS);
  const byStart = new Map<string, string[]>();
  for (const value of new Set(values)) {
    if (value.length < SHORTEST_VALUE) continue;
    const start = value.slice(0, SHORTEST_VALUE);
    slots[slotAt(value, 0)] = 1;
    const same = byStart.get(start);
    if (same === undefined) byStart.set(start, [value]);
    else same.push(value);
  }
  for (const same of byStart.values()) same.sort((one, other) => other.length - one.length);
  return { slots, values: byStart };
}

/**
 * Returns a function that replaces exactly these values, also within other text and where they overlap.
 * @param values all forms of the values; those with fewer than four characters are ignored
 */
export function exactRedaction(values: Iterable<string>): RedactText {
  const index = indexOf(values);
  return (text) => replaced(text, index);
}

function replaced(text: string, index: ValueIndex): string {
  const parts: string[] = [];
  let shownUntil = 0;
  let hiddenUntil = -1;
  for (let at = 0; at <= text.length - SHORTEST_VALUE; at += 1) {
    const length = longestAt(text, at, index);
    if (length === 0) continue;
    if (at > hiddenUntil) {
      parts.push(text.slice(shownUntil, at), REDACTED);
      hiddenUntil = at;
    }
    hiddenUntil = Math.max(hiddenUntil, at + length);
    shownUntil = hiddenUntil;
  }
  return parts.length === 0 ? text : [...parts, text.slice(shownUntil)].join('');
}

/** Length of the longest value at a position; 0 without one. */
function longestAt(text: string, at: number, { slots, values }: ValueIndex): number {
  if (slots[slotAt(text, at)] === 0) return 0;
  const candidates = values.get(text.slice(at, at + SHORTEST_VALUE)) ?? [];
  const found = candidates.find(
    (value) => text.startsWith(value, at) && isWhole(text, at, value.length),
  );
  return found?.length ?? 0;
}

const WORD = /[A-Za-z0-9]/;

function isWhole(text: string, at: number, length: number): boolean {
  if (length >= SHORTEST_PART) return true;
  return !WORD.test(text.charAt(at - 1)) && !WORD.test(text.charAt(at + length));
}
