/** Results of tests on the disk: one file per tested tree, in a folder that git ignores. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mergeResults, type Results, type SuiteResult } from './results.ts';

/** Returns the path of the results file of a tree. */
export const resultsFile = (root: string, tree: string): string =>
  join(root, 'artifacts', 'results', `${tree}.json`);

/**
 * Reads a results file.
 * @returns undefined if it does not exist
 */
export function readResults(file: string): Results | undefined {
  if (!existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, 'utf8')) as Results;
}

export function writeResults(file: string, results: Results): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.partial`, `${JSON.stringify(results, null, 1)}\n`);
  renameSync(`${file}.partial`, file);
}

/** Adds the results of suites to those of their tree. An interrupted run loses only the suites that were running. */
export function addResults(root: string, tree: string, suites: readonly SuiteResult[]): void {
  const file = resultsFile(root, tree);
  const known = readResults(file);
  writeResults(file, mergeResults([...(known === undefined ? [] : [known]), { tree, suites }]));
}
