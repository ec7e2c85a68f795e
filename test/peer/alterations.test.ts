import { describe, expect, it } from '@jest/globals';
import { altered, operatorSuite } from './alterations.ts';

const alteration = (find: string, replace: string) => ({ file: 'a.go', find, replace, reason: '' });

describe('altered', () => {
  it('replaces all occurrences, one alteration after the other', () => {
    const changes = [alteration('latest', 'v1'), alteration('v1', 'v2')];
    expect(altered('latest, latest', changes)).toBe('v2, v2');
  });

  it('keeps patterns in the replacement', () => {
    expect(altered('a', [alteration('a', '$&$1')])).toBe('$&$1');
  });

  it('throws when the text is missing', () => {
    expect(() => altered('b', [alteration('a', 'c')])).toThrow('a.go: does not contain a');
  });
});

describe('operatorSuite', () => {
  it('has a reason for each alteration and each spec that does not run', () => {
    const { alterations, leftOut } = operatorSuite('v1.18.2');
    for (const { reason } of [...alterations, ...leftOut]) expect(reason).not.toBe('');
  });
});
