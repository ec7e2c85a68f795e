import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { checkout } from '../../test/embedded-cluster/paths.ts';
import type { JestReport } from './counts.ts';

/** Parameters of a jest run. */
export interface JestRun {
  /** Names of projects in `jest.config.js`. */
  readonly projects: readonly string[];
  /** Files to run, relative to the checkout. */
  readonly files: readonly string[];
  /** Number of concurrent suites. Each worker process has its own cluster. */
  readonly workers: number;
  /** Expected seconds of each suite by its file. The longest suites start first. */
  readonly seconds: Readonly<Record<string, number>>;
}

/** Result of one test file. */
export interface SuiteRun {
  readonly file: string;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly cases: readonly {
    readonly title: string;
    readonly result: 'passed' | 'failed';
    readonly seconds: number;
  }[];
}

interface Report extends JestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly duration?: number | null;
    }[];
  }[];
}

function suiteRun({
  name,
  startTime,
  endTime,
  assertionResults,
}: Report['testResults'][number]): SuiteRun {
  const cases = assertionResults
    .filter(({ status }) => status === 'passed' || status === 'failed')
    .map(({ fullName, status, duration }) => ({
      title: fullName,
      result: status === 'passed' ? ('passed' as const) : ('failed' as const),
      seconds: Math.round((duration ?? 0) / 100) / 10,
    }));
  return { file: relative(checkout, name), from: startTime, to: endTime, cases };
}

function ended(args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, ...env },
    });
    child.once('error', reject);
    child.once('close', () => resolve());
  });
}

/**
 * Runs jest.
 * @returns the report, and each test file with its cases
 * @throws Error when jest exits without a report
 */
export async function runJest({
  projects,
  files,
  workers,
  seconds,
}: JestRun): Promise<{ report: JestReport; suites: SuiteRun[] }> {
  const directory = mkdtempSync(join(tmpdir(), 'karmada-operator-test-'));
  const output = join(directory, 'report.json');
  const args = [
    ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
    'node_modules/jest/bin/jest.js',
    ...['--selectProjects', ...projects, '--json', '--outputFile', output, '--passWithNoTests'],
    ...['--testSequencer', './scripts/test/sequencer.mjs'],
    ...(workers === 1 ? ['--runInBand'] : ['--maxWorkers', String(workers)]),
    ...['--filter', './scripts/test/filter.cjs'],
  ];
  try {
    await ended(args, {
      KARMADA_TEST_FILES: JSON.stringify(files),
      KARMADA_TEST_SECONDS: JSON.stringify(seconds),
    });
    const report = JSON.parse(readFileSync(output, 'utf8')) as Report;
    return { report, suites: report.testResults.map(suiteRun) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
