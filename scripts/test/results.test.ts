import { describe, expect, it } from '@jest/globals';
import { mergeResults, passedSuites, programResult, resultOf } from './results.ts';

const at = (second: number): number => Date.UTC(2026, 0, 1, 0, 0, second);
const result = (suite: string, second: number, passed = true) =>
  programResult({ suite, from: at(0), to: at(second), passed });

describe('resultOf', () => {
  const run = { file: 'test/e2e/core.test.ts', from: at(0), to: at(12), failed: false };
  const cases = [{ title: 'a', passed: true, seconds: 3 }];

  it('is that of the suite and its cases', () => {
    expect(resultOf({ ...run, cases })).toEqual({
      suite: 'e2e/core',
      passed: true,
      seconds: 12,
      ended: '2026-01-01T00:00:12.000Z',
      cases,
    });
  });

  it.each([
    ['a hook failed after all cases', { failed: true, cases }],
    ['no case ran', { cases: [] }],
  ])('is failed when %s', (_, more) => {
    expect(resultOf({ ...run, ...more }).passed).toBe(false);
  });
});

describe('mergeResults', () => {
  it('keeps the last result of each suite, whatever the order', () => {
    const files = [
      { tree: 't', suites: [result('b', 1), result('a', 3, false)] },
      { tree: 't', suites: [result('a', 2), result('c', 1)] },
    ];
    const merged = mergeResults(files);
    expect(merged).toEqual(mergeResults(files.toReversed()));
    expect(merged.tree).toBe('t');
    expect(merged.suites).toEqual([result('a', 3, false), result('b', 1), result('c', 1)]);
    expect([...passedSuites(merged)]).toEqual(['b', 'c']);
  });

  it('rejects results of several trees, and no results', () => {
    const none = { suites: [] };
    expect(() =>
      mergeResults([
        { tree: 'a', ...none },
        { tree: 'b', ...none },
      ]),
    ).toThrow('a, b');
    expect(() => mergeResults([])).toThrow('no results to merge');
  });
});
