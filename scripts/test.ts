import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { attempt } from '../test/embedded-cluster/command.ts';
import { down } from '../test/embedded-cluster/down.ts';
import { checkout } from '../test/embedded-cluster/paths.ts';
import { createProgress, duration } from '../test/embedded-cluster/progress.ts';
import { clusterOf } from '../test/harness/shared.ts';
import { writeOperatorImage } from './image/operator.ts';
import { isLate } from './test/budget.ts';
import { changedFiles } from './test/changed.ts';
import { runChecks } from './test/checks.ts';
import { add, closingLine, countsOf, none, type Counts } from './test/counts.ts';
import { inputKeys } from './test/inputs.ts';
import { runJest, type OnSuite, type SuiteRun } from './test/jest.ts';
import { readLedger, suiteOf } from './test/ledger.ts';
import { idleShare, watchProcessors } from './test/processor.ts';
import { record, testedCommit } from './test/record.ts';
import { expectedSeconds, matchingFiles, planStages, projects, type Stage } from './test/stages.ts';
import { isUnitTest, parseShard } from './test/suites.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Runs all suites instead of a sample, and records the results. */
    all: { type: 'boolean', default: false },
    /** Runs type check, lint and unit tests only. */
    check: { type: 'boolean', default: false },
    only: { type: 'string' },
    /** Skips suites that passed with the same inputs. */
    resume: { type: 'boolean', default: false },
    shard: { type: 'string' },
    seed: { type: 'string', default: process.env['KARMADA_TEST_SEED'] },
  },
});

/** Derives the seed from the commit, so that a commit always selects the same cases. `--seed` selects others. */
async function defaultSeed(): Promise<number> {
  const { code, stdout } = await attempt(['git', 'rev-parse', 'HEAD'], { cwd: checkout });
  return code === 0 ? Number.parseInt(stdout.slice(0, 7), 16) : randomInt(1, 2 ** 28);
}

const out = createProgress(process.stdout);
const whole = values.only === undefined && !values.check && positionals.length === 0;
const chosen = projects.filter((project) =>
  values.check ? project === 'unit' : values.only === undefined || project === values.only,
);
const shard = values.shard === undefined ? undefined : parseShard(values.shard);
const seed = Number(values.seed ?? (await defaultSeed()));
const temporary = mkdtempSync(join(tmpdir(), 'karmada-operator-cases-'));
const ownCases = join(temporary, 'cases.jsonl');

process.env['KARMADA_TEST_SEED'] = String(seed);
process.env['KARMADA_TEST_TIER'] = values.all ? 'all' : 'sample';
process.env['KARMADA_TEST_CASES'] = ownCases;
process.chdir(checkout);

/** Builds the operator image once for all suites that install it. */
async function prepare({ projects: used }: Stage): Promise<void> {
  if (!used.includes('e2e') || process.getuid?.() !== 0) return;
  const image = await out.step('operator image', () => writeOperatorImage());
  process.env['KARMADA_TEST_IMAGE'] = JSON.stringify(image);
}

async function runStage(
  stage: Stage,
  onSuite: OnSuite,
): Promise<{ counts: Counts; suites: SuiteRun[] }> {
  out.note(`== ${stage.name}`);
  const seconds = expectedSeconds(checkout, stage.files, values.all);
  try {
    await prepare(stage);
    const { report, suites } = await runJest({ ...stage, seconds }, onSuite);
    return { counts: countsOf(report), suites };
  } catch (error) {
    out.note(error instanceof Error ? error.message : String(error));
    return { counts: { passed: 0, failed: 1, skipped: 0 }, suites: [] };
  }
}

/** Prints the duration of each suite that needs servers, and the idle share of the CPUs during it. */
function tellTimes(
  suites: readonly SuiteRun[],
  samples: ReturnType<typeof watchProcessors>['samples'],
): void {
  const long = suites.filter(({ file, from, to }) => !isUnitTest(file) && to > from);
  const expected = expectedSeconds(
    checkout,
    long.map(({ file }) => file),
    values.all,
  );
  for (const { file, from, to } of [...long].sort((a, b) => b.to - b.from - (a.to - a.from))) {
    const idle = idleShare(samples, from, to);
    const share = idle === undefined ? '' : `${(idle * 100).toFixed(0).padStart(3)} % idle`;
    const seconds = expected[file] ?? 0;
    const late = whole && !values.all && isLate((to - from) / 1000, seconds);
    const note = late ? `, expected ${duration(seconds * 1000)}: correct USUAL_SECONDS` : '';
    out.note(`${suiteOf(file).padEnd(40)} ${duration(to - from).padStart(12)} ${share}${note}`);
  }
}

function tellUnchanged(files: readonly string[]): void {
  for (const file of files) {
    const [first] = readLedger(checkout, suiteOf(file));
    out.note(`${suiteOf(file)}: unchanged since it passed on ${first?.date ?? ''}, skipped`);
  }
}

async function runStages(): Promise<[string, Counts][]> {
  const files = matchingFiles(checkout, chosen, positionals);
  const keys = await inputKeys(checkout, files);
  const selection = { root: checkout, files, named: positionals.length > 0 };
  const { all: everything, resume } = values;
  const { stages, unchanged, undrawn } = planStages({
    ...selection,
    ...{ shard, everything, resume, keys, seed },
    changed: await changedFiles(checkout),
  });
  if (chosen.includes('e2e') && process.getuid?.() !== 0)
    out.note('e2e tests skipped: they need root');
  tellUnchanged(unchanged);
  if (undrawn.length > 0) out.note(`not selected: ${undrawn.map(suiteOf).join(', ')}`);
  const about = {
    seed,
    commit: await testedCommit(checkout),
    date: new Date().toISOString().slice(0, 10),
  };
  const keep = async (suites: readonly SuiteRun[]): Promise<void> => {
    if (values.all) await record(checkout, suites, { keys, own: ownCases, about });
  };
  // A complete run takes hours: one that is interrupted must not lose the results of the suites that have ended.
  const onSuite = async (suite: SuiteRun): Promise<void> => {
    if (!isUnitTest(suite.file)) await keep([suite]);
  };
  const results: [string, Counts][] = [];
  const done: SuiteRun[] = [];
  const processors = watchProcessors();
  for (const stage of stages) {
    const { counts, suites } = await runStage(stage, onSuite);
    results.push([stage.name, counts]);
    done.push(...suites);
    await keep(suites.filter(({ file }) => isUnitTest(file)));
  }
  processors.stop();
  tellTimes(done, processors.samples);
  return results;
}

async function main(): Promise<Counts> {
  out.note(`seed ${String(seed)}, ${values.all ? 'all suites' : 'sample of the long suites'}`);
  const began = Date.now();
  const checks = whole || values.check ? runChecks(out) : [];
  const results = [...checks, ...(await runStages())];
  // Only a full run removes the clusters. A developer who runs one suite usually runs it again soon.
  if (whole && process.getuid?.() === 0)
    for (const worker of [1, 2]) await down(clusterOf(worker), out);
  for (const [name, counts] of results) out.note(`${name.padEnd(12)} ${closingLine(counts)}`);
  out.note(`total time ${duration(Date.now() - began)}`);
  return results.map(([, counts]) => counts).reduce(add, none);
}

try {
  const total = await main();
  process.stdout.write(`${closingLine(total)}\n`);
  process.exitCode = total.failed === 0 ? 0 : 1;
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
