import { describe, expect, it } from '@jest/globals';
import { isOlderVersion } from './resource-version.ts';

describe('a resource version', () => {
  it.each<[string, string | undefined, string | undefined, boolean]>([
    ['is older than a greater number', '9', '10', true],
    ['is compared beyond 2^53', '9007199254740992', '9007199254740993', true],
    ['is not older than itself', '10', '10', false],
    ['is not older than a smaller number', '10', '9', false],
    ['is unknown', undefined, '9', false],
    ['is compared with an unknown one', '9', undefined, false],
    ['is not a number', '9a', '10', false],
  ])('%s', (_, one, other, expected) => {
    expect(isOlderVersion(one, other)).toBe(expected);
  });
});
