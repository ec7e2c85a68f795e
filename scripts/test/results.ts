/** Results of suites of one tree. Pure functions. */
import { suiteOf } from './suites.ts';

interface CaseResult {
  readonly title: string;
  readonly passed: boolean;
  readonly seconds: number;
}

/** A test file that ended, as jest reports it. */
export interface SuiteRun {
  readonly file: string;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** True if a case or a hook failed, or the file could not be loaded. */
  readonly failed: boolean;
  /** Cases that ran. */
  readonly cases: readonly CaseResult[];
}

export interface SuiteResult {
  /** Name of a suite, such as `e2e/core`; `check/NAME` for a check, and `job/NAME` for a job that is a program. */
  readonly suite: string;
  readonly passed: boolean;
  readonly seconds: number;
  /** End of the suite, RFC 3339. */
  readonly ended: string;
  /** Cases of the suite; empty if it has none, or if its file could not be loaded. */
  readonly cases: readonly CaseResult[];
}

/** Content of a results file. */
export interface Results {
  /** Digest of the tested files; see `tree.ts`. */
  readonly tree: string;
  /** Last result of each suite, sorted by name. */
  readonly suites: readonly SuiteResult[];
}

const tenths = (milliseconds: number): number => Math.round(milliseconds / 100) / 10;

/** Returns the result of a test file. A file without a case that ran did not pass. */
export function resultOf({ file, from, to, failed, cases }: SuiteRun): SuiteResult {
  return {
    suite: suiteOf(file),
    passed: !failed && cases.length > 0,
    seconds: tenths(to - from),
    ended: new Date(to).toISOString(),
    cases,
  };
}

/** A program that ended, such as a check. The times are in milliseconds since the epoch. */
interface ProgramRun extends Pick<SuiteRun, 'from' | 'to'>, Pick<SuiteResult, 'suite' | 'passed'> {}

/** Returns the result of a program. */
export function programResult({ suite, from, to, passed }: ProgramRun): SuiteResult {
  return {
    suite,
    passed,
    seconds: tenths(to - from),
    ended: new Date(to).toISOString(),
    cases: [],
  };
}

/**
 * Merges results of one tree. The result that ended last counts for a suite.
 * @throws Error if the results are of several trees, or if there are none
 */
export function mergeResults(several: readonly Results[]): Results {
  const trees = new Set(several.map(({ tree }) => tree));
  const [tree] = trees;
  if (tree === undefined) throw new Error('no results to merge');
  if (trees.size > 1) throw new Error(`results of several trees: ${[...trees].join(', ')}`);
  const all = several.flatMap(({ suites }) => suites);
  const byEnd = all.toSorted((a, b) => (a.ended < b.ended ? -1 : 1));
  const last = new Map(byEnd.map((result) => [result.suite, result]));
  return { tree, suites: [...last.values()].toSorted((a, b) => (a.suite < b.suite ? -1 : 1)) };
}

/** Returns the names of the suites that passed. */
export const passedSuites = ({ suites }: Results): ReadonlySet<string> =>
  new Set(suites.filter(({ passed }) => passed).map(({ suite }) => suite));
