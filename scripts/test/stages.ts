import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Progress } from '../../test/cluster/progress.ts';
import { countsOf, type Counts, type JestReport } from './counts.ts';

/** Type check and lint; each counts as one test. */
export function runChecks(out: Progress): [string, Counts][] {
  const checks: [string, string[]][] = [
    ['types', ['node_modules/typescript/bin/tsc', '--noEmit']],
    ['lint', ['scripts/lint.ts']],
  ];
  return checks.map(([name, args]) => {
    out.note(`== ${name}`);
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
    const passed = status === 0 ? 1 : 0;
    return [name, { passed, failed: 1 - passed, skipped: 0 }];
  });
}

/** A number such as `2.4` chooses the tests that prove it, anything else files by their path. */
function selection(patterns: readonly string[]): string[] {
  const isNumber = (pattern: string): boolean => /^\d+\.\d+$/.test(pattern);
  const numbers = patterns.filter(isNumber).map((number) => `(^| )${number.replace('.', '\\.')} `);
  const files = patterns.filter((pattern) => !isNumber(pattern));
  return [
    ...(numbers.length === 0 ? [] : [`--testNamePattern=${numbers.join('|')}`]),
    ...files.map((file) => `--testPathPatterns=${file}`),
  ];
}

/**
 * Runs one of jest's projects.
 * @param patterns parts of file paths, or numbers of requirements such as `2.4`; none runs all
 * @returns counts of its tests; a jest that ends without a report counts as one failure
 */
export async function runJest(
  project: string,
  patterns: readonly string[],
  out: Progress,
): Promise<Counts> {
  out.note(`== ${project}`);
  const directory = mkdtempSync(join(tmpdir(), 'karmada-operator-test-'));
  const report = join(directory, 'report.json');
  const args = [
    ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
    'node_modules/jest/bin/jest.js',
    ...['--selectProjects', project, '--json', '--outputFile', report, '--passWithNoTests'],
    // Suites that start servers would only take each other's two cores.
    ...(project === 'unit' ? [] : ['--runInBand']),
    ...selection(patterns),
  ];
  try {
    await new Promise<void>((resolve, reject) => {
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
      child.once('error', reject);
      child.once('close', () => resolve());
    });
    return countsOf(JSON.parse(readFileSync(report, 'utf8')) as JestReport);
  } catch (error) {
    out.note(`jest gave no report: ${String(error)}`);
    return { passed: 0, failed: 1, skipped: 0 };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
