import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Last result of a test case, as `npm run test:all` recorded it. */
export interface CaseResult {
  /** Title of the case within its suite. */
  readonly case: string;
  readonly result: 'passed' | 'failed';
  /** Digest of the inputs of the case; see `inputs.ts`. */
  readonly key: string;
  readonly seed: number;
  /** Short hash of the tested commit, with `+` if the work tree had local changes. */
  readonly commit: string;
  /** Day, as YYYY-MM-DD. */
  readonly date: string;
  readonly seconds: number;
}

/** Returns the name of a suite from the path of its file: `e2e/operator-crash` for `test/e2e/operator-crash.test.ts`. */
export const suiteOf = (file: string): string =>
  file.replace(/^test\//, '').replace(/\.test\.ts$/, '');

const directory = 'docs/verification';

const ledgerFile = (root: string, suite: string): string => join(root, directory, `${suite}.jsonl`);

/** Reads the recorded results of a suite; empty if it never ran. */
export function readLedger(root: string, suite: string): CaseResult[] {
  const file = ledgerFile(root, suite);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as CaseResult);
}

/** Returns the names of all suites with recorded results, sorted. */
export function recordedSuites(root: string): string[] {
  const top = join(root, directory);
  if (!existsSync(top)) return [];
  return readdirSync(top, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.jsonl'))
    .map((path) => path.replace(/\.jsonl$/, ''))
    .sort();
}

/**
 * Merges the recorded results of a suite with the results of a new run.
 * @param whole true if the run had every case of the suite; recorded cases that are not in the run are then dropped
 */
export function mergeResults(
  known: readonly CaseResult[],
  fresh: readonly CaseResult[],
  whole: boolean,
): CaseResult[] {
  const byCase = new Map((whole ? [] : known).map((row) => [row.case, row]));
  for (const row of fresh) {
    // Several cases can have the same title. One failure makes the result failed.
    const other = fresh.find((one) => one.case === row.case && one.result === 'failed');
    byCase.set(row.case, other ?? row);
  }
  return [...byCase.values()].sort((a, b) => (a.case < b.case ? -1 : 1));
}

export function writeLedger(root: string, suite: string, rows: readonly CaseResult[]): void {
  const file = ledgerFile(root, suite);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/** Returns true if every recorded case of a suite passed with these inputs. */
export function passedWith(rows: readonly CaseResult[], key: string): boolean {
  return rows.length > 0 && rows.every((row) => row.result === 'passed' && row.key === key);
}

/** Summarizes a suite as one case with the date of its oldest case; undefined without recorded results. */
export function asCase(suite: string, rows: readonly CaseResult[]): CaseResult | undefined {
  const [oldest] = rows.toSorted((a, b) => (a.date < b.date ? -1 : 1));
  if (oldest === undefined) return undefined;
  const isFailed = rows.some(({ result }) => result === 'failed');
  return { ...oldest, case: suite, result: isFailed ? 'failed' : 'passed' };
}

/** Returns the total seconds of the last run of each case of a suite; undefined if unknown. */
export function secondsOf(rows: readonly CaseResult[]): number | undefined {
  return rows.length === 0 ? undefined : rows.reduce((sum, { seconds }) => sum + seconds, 0);
}
