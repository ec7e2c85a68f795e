/**
 * The time in which user information and the secrets of a spec are found grows in proportion to the text.
 *
 * @size medium
 * @tier test
 */
import { describe, expect, it } from '@jest/globals';
import { redactPatterns } from '../../src/redact/redact-text.ts';
import { userInfoIn, withoutUserInfo } from '../../src/redact/user-info.ts';
import { hiddenParts } from '../../src/causes/vocabulary.ts';
import { growthOf, LARGEST_GROWTH } from './growth.ts';

const TOKENS = [
  '@',
  ':',
  '//',
  'a:',
  'a://',
  ':@',
  '://@',
  'a://a:a@',
  'a:@,',
  '@sha256:',
  'a:/',
  '%3A',
  '%40',
  '%3A%40',
  '%253A%252F%252F',
  '\\/',
  'a:@(',
  'a:@"',
  'a:@ ',
];

describe.each(['PASS', 'A'])('hiddenParts of %s', (name) => {
  it.each([
    ...TOKENS,
    '"',
    "='",
    'a="',
    'pass="',
    '\\"',
    'pass=',
    '--pass ',
    ': ',
    ')',
    'bearer ',
    'key',
    'a_key:',
    '--a-key /a ',
    'bypass',
    'a|',
    '/ab',
  ])('takes time in proportion to a value of %j', async (token) => {
    const input = (size: number): string => token.repeat(Math.floor(size / token.length));
    const run = (value: string): unknown => hiddenParts([{ name, value }]);
    expect(await growthOf({ input, run, length: 2 ** 15 })).toBeLessThanOrEqual(LARGEST_GROWTH);
  });
});

describe.each<readonly [string, (text: string) => unknown, number]>([
  ['withoutUserInfo', withoutUserInfo, 2 ** 17],
  ['userInfoIn', userInfoIn, 2 ** 17],
  ['redactPatterns', redactPatterns, 2 ** 17],
])('%s', (_, run, length) => {
  it.each(TOKENS)('takes time in proportion to a text of %j', async (token) => {
    const input = (size: number): string => token.repeat(Math.floor(size / token.length));
    expect(await growthOf({ input, run, length })).toBeLessThanOrEqual(LARGEST_GROWTH);
  });
});
