import { describe, expect, it } from '@jest/globals';
import { baseSuite } from './base.ts';
import { operatorSuite } from './operator.ts';
import { altered, filterFlags } from './suite.ts';

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

describe('filterFlags', () => {
  it('leaves out specs by label and by name', () => {
    const leftOut = [
      { label: 'slow', reason: '' },
      { pattern: 'one|two', reason: '' },
    ];
    expect(filterFlags(leftOut)).toEqual(['--skip=one|two', '--label-filter=!slow']);
  });

  it('combines labels in one flag, because Ginkgo uses the last one only', () => {
    const leftOut = [
      { label: 'slow', reason: '' },
      { label: 'kind', reason: '' },
    ];
    expect(filterFlags(leftOut)).toEqual(['--label-filter=!slow && !kind']);
  });
});

describe.each([operatorSuite('v1.18.2'), baseSuite()])('suite $name', (suite) => {
  it('has a reason for each alteration and each spec that does not run', () => {
    for (const { reason } of [...suite.alterations, ...suite.leftOut]) expect(reason).not.toBe('');
  });

  it('has valid patterns', () => {
    const patterns = suite.leftOut.flatMap((one) => ('pattern' in one ? [one.pattern] : []));
    for (const pattern of patterns) expect(() => new RegExp(pattern)).not.toThrow();
  });
});
