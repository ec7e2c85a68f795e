import { describe, expect, it } from '@jest/globals';
import { rescans } from './rescanned-text.ts';

/** From text, so that the rule does not check this file. */
const found = (pattern: string, flags = ''): readonly string[] => rescans(pattern, flags);

describe('rescans', () => {
  it.each([
    ['a scan for the end of a block', '-----BEGIN [^-]+-----[^]*?-----END [^-]+-----', ['[^]*?']],
    ['a scan of a line', 'foo.*bar', ['.*']],
    ['a scan to the end of a line', '%.*$', ['.*']],
    ['a scan of characters of the beginning', 'ab[abc]*d', ['[abc]*']],
    ['a scan in a group', '(?:a|b)(?:x|[^]+)y', ['[^]+']],
  ])('returns %s', (_, pattern, quantifiers) => {
    expect(found(pattern)).toEqual(quantifiers);
  });

  it.each([
    ['an anchored pattern', '^foo.*bar', ''],
    ['a sticky pattern', 'foo.*bar', 'y'],
    ['a scan that ends where the beginning repeats', '-----BEGIN A-----[^-]+-----END A-----', ''],
    ['a bounded scan', 'foo.{1,100}bar', ''],
    ['a scan that cannot fail', 'foo.*', ''],
    ['a scan that the end of the text completes', 'value: [^]*?(?:: a|$)', ''],
    ['a scan of other characters', 'a+b+c', ''],
  ])('accepts %s', (_, pattern, flags) => {
    expect(found(pattern, flags)).toEqual([]);
  });
});
