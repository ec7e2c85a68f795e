/** Stores the results of `npm run test:all`: one file per suite, and a page with a summary. */
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { run } from '../../test/embedded-cluster/command.ts';
import { duration } from '../../test/embedded-cluster/progress.ts';
import type { SuiteRun } from './jest.ts';
import {
  mergeResults,
  readLedger,
  recordedSuites,
  suiteOf,
  writeLedger,
  type CaseResult,
} from './ledger.ts';
import { isUnitTest } from './suites.ts';

const page = 'docs/verification.md';

/** Values that all results of a run share. */
export interface RunIdentity {
  readonly seed: number;
  readonly commit: string;
  readonly date: string;
}

/** Returns the short hash of the tested commit, with `+` if the work tree has local changes. */
export async function testedCommit(root: string): Promise<string> {
  const cwd = root;
  const commit = (await run(['git', 'rev-parse', '--short', 'HEAD'], { cwd })).trim();
  const status = ['git', 'status', '--porcelain', '--', ':!docs/verification*'];
  return (await run(status, { cwd })).trim() === '' ? commit : `${commit}+`;
}

/** A case that a suite recorded itself with `recordCase` of the test harness. */
interface OwnCase {
  readonly suite: string;
  readonly case: string;
  readonly seconds: number;
}

function ownCases(file: string, suite: string): OwnCase[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as OwnCase).filter((one) => one.suite === suite);
}

/**
 * Returns the results of one test file.
 * @param own file with the cases that suites recorded with `recordCase`
 */
function resultsOf(
  { file, cases, from, to }: SuiteRun,
  { key, own, about }: { key: string; own: string; about: RunIdentity },
): CaseResult[] {
  const recorded = ownCases(own, suiteOf(file)).map((one) => ({
    title: one.case,
    result: 'passed' as const,
    seconds: one.seconds,
  }));
  const none = { title: 'the file can be loaded', result: 'failed' as const };
  const all =
    cases.length > 0 ? [...cases, ...recorded] : [{ ...none, seconds: (to - from) / 1000 }];
  return all.map(({ title, result, seconds }) => ({ case: title, result, key, ...about, seconds }));
}

/** Returns the result of a unit test file, which is one case of the suite `unit`. */
function unitResult(
  { file, cases, from, to }: SuiteRun,
  key: string,
  about: RunIdentity,
): CaseResult {
  const passed = cases.length > 0 && cases.every(({ result }) => result === 'passed');
  const seconds = Math.round((to - from) / 100) / 10;
  return { case: suiteOf(file), result: passed ? 'passed' : 'failed', key, ...about, seconds };
}

/** Writes the results of a run to the ledger, and updates the summary page. */
export async function record(
  root: string,
  suites: readonly SuiteRun[],
  { keys, own, about }: { keys: ReadonlyMap<string, string>; own: string; about: RunIdentity },
): Promise<void> {
  const keyOf = ({ file }: SuiteRun): string => keys.get(file) ?? '';
  const units = suites
    .filter(({ file }) => isUnitTest(file))
    .map((suite) => unitResult(suite, keyOf(suite), about));
  if (units.length > 0)
    writeLedger(root, 'unit', mergeResults(readLedger(root, 'unit'), units, false));
  for (const suite of suites.filter(({ file }) => !isUnitTest(file))) {
    const fresh = resultsOf(suite, { key: keyOf(suite), own, about });
    const name = suiteOf(suite.file);
    writeLedger(root, name, mergeResults(readLedger(root, name), fresh, true));
  }
  await writePage(root);
}

function row(suite: string, rows: readonly CaseResult[]): string {
  const failed = rows.filter(({ result }) => result === 'failed').length;
  const days = [...new Set(rows.map(({ date }) => date))].sort();
  const commits = [...new Set(rows.map(({ commit }) => commit))];
  const when = days.length > 1 ? `${days[0] ?? ''} to ${days.at(-1) ?? ''}` : (days[0] ?? '');
  const seconds = rows.reduce((sum, one) => sum + one.seconds, 0);
  const cells = [suite, rows.length - failed, failed, when, commits.join(', ')];
  return `| ${[...cells, duration(seconds * 1000)].join(' | ')} |`;
}

/** Renders the page with the last results of all suites from the ledger. */
function renderPage(suites: readonly (readonly [string, readonly CaseResult[]])[]): string {
  const failures = suites.flatMap(([suite, rows]) =>
    rows.filter(({ result }) => result === 'failed').map((one) => `- ${suite}: ${one.case}`),
  );
  return [
    '# Verification',
    '',
    'Last results of every suite, written by `npm run test:all`. `docs/verification/` has them case by case, each with a',
    'digest of its inputs. A commit with `+` had local changes. A unit test file counts as one case.',
    '',
    '| Suite | Passed | Failed | Date | Commit | Time |',
    '| --- | --- | --- | --- | --- | --- |',
    ...suites.map(([suite, rows]) => row(suite, rows)),
    ...(failures.length === 0 ? [] : ['', '## Failed', '', ...failures]),
    '',
  ].join('\n');
}

async function writePage(root: string): Promise<void> {
  const suites = recordedSuites(root).map((suite) => [suite, readLedger(root, suite)] as const);
  const file = join(root, page);
  const options = await resolveConfig(file);
  await writeFile(file, await format(renderPage(suites), { ...options, parser: 'markdown' }));
}
