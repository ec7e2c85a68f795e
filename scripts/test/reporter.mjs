// Reporter for jest: writes one line of JSON to a pipe when a test file ends, so that the test command stores its results
// before the other files end, and one with the counters of all files at the end.
import { writeSync } from 'node:fs';
import { relative } from 'node:path';

/** File descriptor that `jest.ts` opens. */
const PIPE = 3;

const tenths = (milliseconds) => Math.round(milliseconds / 100) / 10;

/** Counters of jest that the test command prints. */
const COUNTERS = [
  ...['numPassedTests', 'numFailedTests', 'numPendingTests', 'numTodoTests'],
  'numRuntimeErrorTestSuites',
];

const write = (line) => writeSync(PIPE, `${JSON.stringify(line)}\n`);

export default class SuiteReporter {
  onTestFileResult(
    _test,
    { testFilePath, perfStats, testResults, numFailingTests, testExecError },
  ) {
    const cases = testResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ fullName, status, duration }) => ({
        title: fullName,
        passed: status === 'passed',
        seconds: tenths(duration ?? 0),
      }));
    const file = relative(process.cwd(), testFilePath);
    const failed = numFailingTests > 0 || Boolean(testExecError);
    const suite = { file, from: perfStats.start, to: perfStats.end, failed, cases };
    write({ suite });
  }

  onRunComplete(_contexts, results) {
    const report = Object.fromEntries(COUNTERS.map((name) => [name, results[name]]));
    write({ report });
  }
}
