import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  mergeResults,
  passedWith,
  readLedger,
  recordedSuites,
  secondsOf,
  suiteOf,
  writeLedger,
  type CaseResult,
} from './ledger.ts';

function row(title: string, more: Partial<CaseResult> = {}): CaseResult {
  const about = { key: 'k', seed: 1, commit: 'c', date: '2026-01-01', seconds: 2 };
  return { case: title, result: 'passed', ...about, ...more };
}

describe('test ledger', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'ledger-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('reads the written results of each suite', () => {
    expect(readLedger(root, 'e2e/operator-crash')).toEqual([]);
    expect(recordedSuites(root)).toEqual([]);
    writeLedger(root, 'e2e/operator-crash', [row('a "quoted" case'), row('b')]);
    writeLedger(root, 'unit', [row('c')]);
    expect(readLedger(root, 'e2e/operator-crash')).toEqual([row('a "quoted" case'), row('b')]);
    expect(recordedSuites(root)).toEqual(['e2e/operator-crash', 'unit']);
  });

  it.each([
    ['test/e2e/operator-crash.test.ts', 'e2e/operator-crash'],
    ['test/integration/kubernetes/apply.test.ts', 'integration/kubernetes/apply'],
    ['src/api/naming.test.ts', 'src/api/naming'],
  ])('names the suite of %s', (file, suite) => {
    expect(suiteOf(file)).toBe(suite);
  });

  it('keeps missing cases after a partial run and drops them after a complete run', () => {
    const known = [row('a'), row('b')];
    const fresh = [row('b', { result: 'failed' }), row('c')];
    expect(mergeResults(known, fresh, false).map((one) => one.case)).toEqual(['a', 'b', 'c']);
    expect(mergeResults(known, fresh, true)).toEqual([row('b', { result: 'failed' }), row('c')]);
  });

  it('records a failure when one of two cases with the same title failed', () => {
    const fresh = [row('a', { result: 'failed' }), row('a')];
    expect(mergeResults([], fresh, true)).toEqual([row('a', { result: 'failed' })]);
  });

  it.each([
    ['without records', [], false],
    ['when all cases passed with these inputs', [row('a'), row('b')], true],
    ['with a failed case', [row('a'), row('b', { result: 'failed' })], false],
    ['with other inputs', [row('a'), row('b', { key: 'other' })], false],
  ])('decides whether a suite passed %s', (_, rows, expected) => {
    expect(passedWith(rows as CaseResult[], 'k')).toBe(expected);
  });

  it('adds up the seconds of a suite', () => {
    expect(secondsOf([])).toBeUndefined();
    expect(secondsOf([row('a'), row('b')])).toBe(4);
  });
});
