import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { JestReport } from './counts.ts';
import { forwardSignals } from './program.ts';
import type { SuiteRun } from './results.ts';

/** Parameters of a jest run. */
export interface JestRun {
  /** Names of projects in `jest.config.js`. */
  readonly projects: readonly string[];
  /** Files to run, relative to the checkout. */
  readonly files: readonly string[];
  /** Number of concurrent suites. Each worker process has its own cluster. */
  readonly workers: number;
  /** Planned seconds of each suite by its file. The longest suites start first. */
  readonly seconds: Readonly<Record<string, number>>;
}

/** Called with each test file that has ended, one at a time. */
export type OnSuite = (suite: SuiteRun) => Promise<void> | void;

/** Splits text at line feeds only: titles of tests may contain other line separators of Unicode, which JSON leaves. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** A line that the reporter writes: a test file that ended, or the counters at the end. */
interface ReportLine {
  readonly suite?: SuiteRun;
  readonly report?: JestReport;
}

/** Runs jest until it exits, and calls a function with each line of the reporter. If that fails, jest is stopped. */
async function ended(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  onLine: (line: ReportLine) => Promise<void>,
): Promise<void> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    env: { ...process.env, ...env },
  });
  const closed = once(child, 'close');
  const end = forwardSignals(child);
  const pipe = child.stdio[3];
  if (!(pipe instanceof Readable)) throw new Error('jest has no pipe for its report');
  pipe.setEncoding('utf8');
  try {
    for await (const line of linesOf(pipe)) await onLine(JSON.parse(line) as ReportLine);
  } catch (error) {
    child.kill();
    throw error;
  } finally {
    await closed;
    end();
  }
}

/**
 * Runs jest.
 * @param onSuite called when a test file has ended, while others still run
 * @returns the counters of all files
 * @throws Error when jest exits without a report, and that of `onSuite`
 */
export async function runJest(
  { projects, files, workers, seconds }: JestRun,
  onSuite: OnSuite,
): Promise<JestReport> {
  const args = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    '--selectProjects',
    ...projects,
    '--passWithNoTests',
    '--testSequencer',
    './scripts/test/sequencer.mjs',
    '--reporters',
    'default',
    '--reporters',
    './scripts/test/reporter.mjs',
    ...(workers === 1 ? ['--runInBand'] : ['--maxWorkers', String(workers)]),
    '--filter',
    './scripts/test/filter.cjs',
  ];
  const env = {
    // API servers start with a third less CPU time if Go collects garbage less often.
    GOGC: '400',
    KARMADA_TEST_FILES: JSON.stringify(files),
    KARMADA_TEST_SECONDS: JSON.stringify(seconds),
  };
  const reports: JestReport[] = [];
  await ended(args, env, async ({ suite, report }) => {
    if (report !== undefined) reports.push(report);
    if (suite !== undefined) await onSuite(suite);
  });
  const [report] = reports;
  if (report === undefined) throw new Error('jest exited without a report');
  return report;
}
