import fc from 'fast-check';

/** Code points of surrogates, which are no characters by themselves. */
const SURROGATES = { first: 0xd800, count: 0x800 };
const LAST = 0x10ffff;

/**
 * One code point of Unicode that is not a surrogate, as a unit of `fc.string`. fast-check builds a map of all code points for its
 * own unit `binary` in each test file, which takes two seconds.
 */
export const codePoint: fc.Arbitrary<string> = fc.nat({ max: LAST - SURROGATES.count }).map(
  (n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count),
  (text) => {
    const [code = -1, ...others] = Array.from(String(text), (one) => one.codePointAt(0) ?? -1);
    const index = code < SURROGATES.first ? code : code - SURROGATES.count;
    if (index < 0 || others.length > 0) throw new Error('not one code point');
    return index;
  },
);
