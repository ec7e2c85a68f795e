import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { addResults, readResults, resultsFile } from './results-file.ts';
import { programResult } from './results.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'results-'));
});
afterEach(() => rmSync(root, { recursive: true }));

it('the results file of a tree gets the results of each run of that tree', () => {
  const one = programResult({ suite: 'a', from: 0, to: 1_000, passed: true });
  const other = programResult({ suite: 'b', from: 0, to: 2_000, passed: false });
  expect(readResults(resultsFile(root, 't'))).toBeUndefined();
  addResults(root, 't', [one]);
  addResults(root, 't', [other]);
  addResults(root, 'u', [one]);
  expect(readResults(resultsFile(root, 't'))).toEqual({ tree: 't', suites: [one, other] });
  expect(readResults(resultsFile(root, 'u'))).toEqual({ tree: 'u', suites: [one] });
});
