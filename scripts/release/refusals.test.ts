import { describe, expect, it } from '@jest/globals';
import type { CaseResult } from '../test/ledger.ts';
import {
  shortened,
  sourceRefusals,
  suiteRefusal,
  verificationRefusals,
  type SourceState,
} from './refusals.ts';

const clean: SourceState = {
  version: '1.2.3',
  commit: 'aaaa',
  changes: [],
  tagged: undefined,
  tags: [],
  outdated: [],
};

describe('sourceRefusals', () => {
  it.each<[string, Partial<SourceState>]>([
    ['has no tag yet', {}],
    ['has the tag of the version', { tagged: 'aaaa', tags: ['v1.2.3'] }],
    ['has tags that are no versions', { tags: ['nightly', 'value'] }],
  ])('allows a clean commit that %s', (_, state) => {
    expect(sourceRefusals({ ...clean, ...state })).toEqual([]);
  });

  it.each<[string, Partial<SourceState>, string]>([
    ['the checkout has changes', { changes: ['a.ts', 'b.ts'] }, 'not committed: a.ts, b.ts'],
    ['the tag names another commit', { tagged: 'bbbb' }, 'tag v1.2.3 names another commit, bbbb'],
    ['the commit has another version', { tags: ['v2.0.0'] }, 'package.json has version 1.2.3'],
    ['a file has another version', { outdated: ['Dockerfile'] }, 'Dockerfile: version differs'],
  ])('refuses when %s', (_, state, expected) => {
    const found = sourceRefusals({ ...clean, ...state });
    expect(found).toEqual([expect.stringContaining(expected)]);
  });
});

const passed: CaseResult = {
  case: 'works',
  result: 'passed',
  key: 'k1',
  seed: 1,
  commit: 'aaaa',
  date: '2026-03-01',
  seconds: 1,
};

describe('suiteRefusal', () => {
  const suite = 'e2e/core';

  it.each(['2026-03-01', '2026-03-08'])('accepts a suite that passed on March 1 on %s', (today) => {
    expect(suiteRefusal({ suite, rows: [passed, passed], key: 'k1' }, today)).toBeUndefined();
  });

  it.each<[string, readonly CaseResult[], string, string]>([
    ['never ran', [], '2026-03-01', 'no recorded result'],
    ['failed', [passed, { ...passed, case: 'b', result: 'failed' }], '2026-03-01', 'failed: b'],
    ['passed with other inputs', [{ ...passed, key: 'k2' }], '2026-03-01', 'with other inputs'],
    ['has one case with other inputs', [passed, { ...passed, key: '' }], '2026-03-01', 'inputs'],
    ['passed 8 days ago', [passed], '2026-03-09', 'more than 7 days ago'],
    [
      'has one case that passed 8 days ago',
      [passed, { ...passed, date: '2026-02-20' }],
      '2026-03-01',
      'last passed on 2026-02-20',
    ],
    ['has an unreadable date', [{ ...passed, date: 'soon' }], '2026-03-01', 'last passed on soon'],
  ])('refuses a suite that %s', (_, rows, today, expected) => {
    expect(suiteRefusal({ suite, rows, key: 'k1' }, today)).toContain(expected);
  });
});

it('verificationRefusals names each refused suite, sorted', () => {
  const suites = ['b', 'a'].map((suite) => ({ suite, rows: [], key: 'k1' }));
  const found = verificationRefusals(
    [...suites, { suite: 'c', rows: [passed], key: 'k1' }],
    '2026-03-02',
  );
  expect(found).toEqual(['a: no recorded result', 'b: no recorded result']);
});

it.each([
  [['a', 'b'], 2, ['a', 'b']],
  [['a', 'b', 'c'], 1, ['a', 'and 2 more reasons']],
])('shortened reduces %j to %i lines', (lines, limit, expected) => {
  expect(shortened(lines, limit)).toEqual(expected);
});
