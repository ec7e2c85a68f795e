import { describe, expect, it } from '@jest/globals';
import { isOlderVersion } from './resource-version.ts';

describe('isOlderVersion', () => {
  it.each<[string, string | undefined, string | undefined, boolean]>([
    ['returns true when the number is smaller', '9', '10', true],
    [
      'returns true when the number is smaller and beyond 2^53',
      '9007199254740992',
      '9007199254740993',
      true,
    ],
    ['returns false when the versions are equal', '10', '10', false],
    ['returns false when the number is greater', '10', '9', false],
    ['returns false when the first version is unknown', undefined, '9', false],
    ['returns false when the second version is unknown', '9', undefined, false],
    ['returns false when a version is not a number', '9a', '10', false],
  ])('%s', (_, one, other, expected) => {
    expect(isOlderVersion(one, other)).toBe(expected);
  });
});
