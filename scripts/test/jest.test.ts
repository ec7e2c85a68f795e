/** @tier test */
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { linesOf, runJest } from './jest.ts';
import type { SuiteRun } from './results.ts';

describe('linesOf', () => {
  it('splits at line feeds only, also within a chunk and between chunks', async () => {
    const separators = 'a\r\u2028\u2029\u0085b';
    const chunks = [`${separators}\nc`, 'd\n', '\ne\nunfinished'];
    const lines: string[] = [];
    for await (const line of linesOf(Readable.from(chunks))) lines.push(line);
    expect(lines).toEqual([separators, 'cd', '', 'e']);
  });
});

describe('runJest', () => {
  it('tells the results of each test file when it ends, returns the counters, and leaves no temporary file', async () => {
    const files = ['scripts/test/counts.test.ts', 'test/harness/temporary-folder.test.ts'];
    const told: SuiteRun[] = [];
    const run = { projects: ['unit'], files, workers: 1, seconds: {} };
    const report = await runJest(run, (suite) => void told.push(suite));
    expect(told.map(({ file }) => file).sort()).toEqual([...files].sort());
    const cases = told.flatMap((suite) => suite.cases);
    expect(cases.length).toBe(report.numPassedTests);
    expect(cases.every(({ passed }) => passed)).toBe(true);
    expect(readdirSync(tmpdir())).toEqual([]);
  });

  it('stops jest and fails with the error of the function that gets the results', async () => {
    const files = ['scripts/test/counts.test.ts', 'test/harness/temporary-folder.test.ts'];
    const run = { projects: ['unit'], files, workers: 1, seconds: {} };
    const told: string[] = [];
    const full = new Error('no space left on device');
    const failed = runJest(run, async ({ file }) => {
      told.push(file);
      throw full;
    });
    await expect(failed).rejects.toBe(full);
    expect(told).toHaveLength(1);
  });
});
