import { describe, expect, it } from '@jest/globals';
import { add, closingLine, countsOf, none } from './counts.ts';

describe('test counts', () => {
  it('formats the sum of all suites as one line', () => {
    const total = [
      { passed: 3, failed: 0, skipped: 1 },
      { passed: 4, failed: 2, skipped: 0 },
    ].reduce(add, none);
    expect(closingLine(total)).toBe('7 passed, 2 failed, 1 skipped');
  });

  it('counts one failure when a test file cannot be loaded', () => {
    const report = { numPassedTests: 1, numFailedTests: 0, numPendingTests: 0, numTodoTests: 2 };
    expect(countsOf({ ...report, numRuntimeErrorTestSuites: 1 })).toEqual({
      passed: 1,
      failed: 1,
      skipped: 2,
    });
  });
});
