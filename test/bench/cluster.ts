// Measures the start and removal time of an embedded cluster, and prints Markdown tables.
// Usage: node scripts/run.mjs test/bench/cluster.ts [--runs N] [--cold]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { down } from '../../tools/embedded-cluster/down.ts';
import { Failure } from '../../tools/embedded-cluster/failure.ts';
import { createProgress, duration, type Progress } from '../../tools/embedded-cluster/progress.ts';
import { clusterNames } from '../../tools/embedded-cluster/slot.ts';
import { up } from '../../tools/embedded-cluster/up.ts';

const name = 'bench';
const shown = createProgress(process.stderr);
const print = (text: string): void => void process.stdout.write(`${text}\n`);

type Times = Map<string, number[]>;

async function measure<T>(times: Times, what: string, action: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await action();
  times.set(what, [...(times.get(what) ?? []), performance.now() - began]);
  return result;
}

/** Prints steps and records the time of each successful step. */
function recording(times: Times): Progress {
  return {
    note: (text) => shown.note(text),
    step: (step, action) => shown.step(step, () => measure(times, step, action)),
  };
}

async function measureRuns(runs: number): Promise<{ whole: Times; steps: Times }> {
  const whole: Times = new Map();
  const steps: Times = new Map();
  for (let round = 0; round < runs; round++) {
    await measure(whole, 'up', () => up({ name, progress: recording(steps) }));
    await measure(whole, 'down', () => down(name, recording(steps)));
  }
  return { whole, steps };
}

/** Renders a Markdown table with minimum, median and maximum of each measurement. */
function table(title: string, times: Times): string {
  const rows = [...times].map(([what, values]) => {
    const sorted = values.toSorted((a, b) => a - b);
    const at = (share: number): string =>
      duration(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
    return `| ${what} | ${String(sorted.length)} | ${at(0)} | ${at(0.5)} | ${at(1)} |`;
  });
  return [
    `| ${title} | Runs | Minimum | Median | Maximum |`,
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** Runs an action with an empty cache of binaries, images and packages. Downloaded Go modules stay. */
async function withEmptyCache<T>(action: () => Promise<T>): Promise<T> {
  const cache = await mkdtemp(join(tmpdir(), 'karmada-operator-bench-'));
  process.env['KARMADA_OPERATOR_CACHE'] = cache;
  // A compiler cache of the user would contain the builds that are measured.
  delete process.env['GOCACHE'];
  try {
    return await action();
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('Specify a whole number of at least 1.');
  return value;
}

async function main(options: { runs: number; cold?: boolean }): Promise<void> {
  if (clusterNames().includes(name)) {
    throw new Failure(`cluster ${name} already exists`, `npm run cluster -- down ${name}`);
  }
  if (options.cold === true) {
    const { whole, steps } = await withEmptyCache(() => measureRuns(1));
    print(`${table('Cold', whole)}\n\n${table('Step', steps)}`);
    return;
  }
  // Build missing programs before the measurement.
  await up({ name, progress: shown });
  await down(name, shown);
  const { whole, steps } = await measureRuns(options.runs);
  print(`${table('Warm', whole)}\n\n${table('Step', steps)}`);
}

try {
  await new Command('bench:cluster')
    .option('--runs <n>', 'number of measured runs', count, 5)
    .option('--cold', 'one run with an empty cache, which builds everything')
    .action(main)
    .parseAsync();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
