import { describe, expect, it } from '@jest/globals';
import { isOlderVersion, predates } from './resource-version.ts';

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

describe('predates', () => {
  const WRITE = { uid: 'one', shown: '7', written: '10' };

  it.each<[string, { uid?: string; resourceVersion?: string }, object, boolean]>([
    ['returns true for the version at the time of the write', { resourceVersion: '7' }, {}, true],
    ['returns true for a version between', { resourceVersion: '9' }, {}, true],
    ['returns false for the written version', { resourceVersion: '10' }, {}, false],
    ['returns false for a later version', { resourceVersion: '11' }, {}, false],
    ['returns false for a restored object', { resourceVersion: '6' }, {}, false],
    ['returns false for a recreated object', { uid: 'two', resourceVersion: '9' }, {}, false],
    [
      'returns true for the replaced object at the time of the write',
      { uid: 'two', resourceVersion: '7' },
      {},
      true,
    ],
    [
      'returns false when the write changed nothing',
      { resourceVersion: '7' },
      { written: '7' },
      false,
    ],
    [
      'returns false when the object was gone',
      { resourceVersion: '7' },
      { written: undefined },
      false,
    ],
    [
      'returns true for the same version that is not a number',
      { resourceVersion: 'a' },
      { shown: 'a', written: 'b' },
      true,
    ],
    [
      'returns false for another version that is not a number',
      { resourceVersion: 'c' },
      { shown: 'a', written: 'b' },
      false,
    ],
    ['returns false for an unknown version', {}, { shown: undefined }, false],
  ])('%s', (_, cached, write, expected) => {
    expect(predates({ uid: 'one', ...cached }, { ...WRITE, ...write })).toBe(expected);
  });
});
