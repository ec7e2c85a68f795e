import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** How a test case ended when it ran last, as `npm run test:all` recorded it. */
export interface CaseResult {
  /** Title of the case within its suite. */
  readonly case: string;
  readonly result: 'passed' | 'failed';
  /** Digest of what the case depends on; see `inputs.ts`. */
  readonly key: string;
  readonly seed: number;
  /** Short hash of the tested commit, with `+` when the work tree differed from it. */
  readonly commit: string;
  /** Day, as YYYY-MM-DD. */
  readonly date: string;
  readonly seconds: number;
}

/** Name of a suite, from the path of its file: `e2e/kill` for `test/e2e/kill.test.ts`. */
export const suiteOf = (file: string): string =>
  file.replace(/^test\//, '').replace(/\.test\.ts$/, '');

const directory = 'docs/verification';

const ledgerFile = (root: string, suite: string): string => join(root, directory, `${suite}.jsonl`);

/** The recorded results of a suite; none when it never ran. */
export function readLedger(root: string, suite: string): CaseResult[] {
  const file = ledgerFile(root, suite);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as CaseResult);
}

/** Names of all suites that have recorded results, sorted. */
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
 * The results of a suite after another run of some of its cases.
 * @param whole whether the run had every case of the suite, so that cases it did not have are gone
 */
export function mergeResults(
  known: readonly CaseResult[],
  fresh: readonly CaseResult[],
  whole: boolean,
): CaseResult[] {
  const byCase = new Map((whole ? [] : known).map((row) => [row.case, row]));
  for (const row of fresh) {
    // A case may be run more than once under one title; one failure counts.
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

/** Whether every recorded case of a suite passed with these inputs. */
export function passedWith(rows: readonly CaseResult[], key: string): boolean {
  return rows.length > 0 && rows.every((row) => row.result === 'passed' && row.key === key);
}

/** A suite as a case of its own, as old as its oldest case; undefined for one that is not recorded. */
export function asCase(suite: string, rows: readonly CaseResult[]): CaseResult | undefined {
  const [oldest] = rows.toSorted((a, b) => (a.date < b.date ? -1 : 1));
  if (oldest === undefined) return undefined;
  const isFailed = rows.some(({ result }) => result === 'failed');
  return { ...oldest, case: suite, result: isFailed ? 'failed' : 'passed' };
}

/** Seconds that a suite took in all when its cases ran last; undefined when unknown. */
export function secondsOf(rows: readonly CaseResult[]): number | undefined {
  return rows.length === 0 ? undefined : rows.reduce((sum, { seconds }) => sum + seconds, 0);
}
