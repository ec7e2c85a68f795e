/** Number of tests by result. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export const none: Counts = { passed: 0, failed: 0, skipped: 0 };

export function add(a: Counts, b: Counts): Counts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}

/** Counts a program, such as a check, as one test. */
export const countsOfProgram = (passed: boolean): Counts => ({
  passed: Number(passed),
  failed: Number(!passed),
  skipped: 0,
});

/** Formats the last line of every run: `N passed, N failed, N skipped`. */
export function closingLine({ passed, failed, skipped }: Counts): string {
  return `${String(passed)} passed, ${String(failed)} failed, ${String(skipped)} skipped`;
}

/** The counters in the JSON report of jest. */
export interface JestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  /** Files that jest could not load. Each counts as one failed test. */
  numRuntimeErrorTestSuites: number;
}

export function countsOf(report: JestReport): Counts {
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
