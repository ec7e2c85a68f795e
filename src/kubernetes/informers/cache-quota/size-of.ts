/** Memory of JSON values, without the cost of their text. */
import { isObject } from '../../objects/compare.ts';

/** Characters of the structure of each value: quotes, comma, colon; also of true, false and null. */
const SCALAR = 4;
/** Characters that a number counts in addition. */
const NUMBER = 8;

/**
 * Estimates the length of a JSON value as text: exact for strings without escapes, otherwise a little off.
 * @returns characters
 */
export function sizeOf(value: unknown): number {
  let sum = 0;
  // Without recursion: foreign JSON may be nested deeply.
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    sum += SCALAR;
    if (typeof next === 'string') sum += next.length;
    else if (typeof next === 'number') sum += NUMBER;
    else if (Array.isArray(next)) for (const item of next) rest.push(item);
    else if (isObject(next))
      for (const key in next) {
        sum += key.length + SCALAR;
        rest.push(next[key]);
      }
  }
  return sum;
}
