import { describe, expect, it } from '@jest/globals';
import { runJest, type SuiteRun } from './jest.ts';

describe('runJest', () => {
  it('tells the results of each test file when it ends, and returns all of them', async () => {
    const files = ['scripts/test/counts.test.ts', 'scripts/test/budget.test.ts'];
    const told: SuiteRun[] = [];
    const run = { projects: ['unit'], files, workers: 1, seconds: {} };
    const { report, suites } = await runJest(run, async (suite) => {
      told.push(suite);
    });
    expect(told).toEqual(suites);
    expect(suites.map(({ file }) => file).sort()).toEqual([...files].sort());
    const cases = suites.flatMap((suite) => suite.cases);
    expect(cases.length).toBe(report.numPassedTests);
    expect(cases.every(({ result }) => result === 'passed')).toBe(true);
  }, 60_000);
});
