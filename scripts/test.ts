/** Runs tests: `npm run check`, `npm test`, `npm run test:all` and their parts; see docs/contribute/testing.md. */
import { randomInt } from 'node:crypto';
import { totalmem } from 'node:os';
import { attempt } from '../tools/embedded-cluster/command.ts';
import { down } from '../tools/embedded-cluster/down.ts';
import { checkout } from '../tools/embedded-cluster/paths.ts';
import { requireLinuxOnX64 } from '../tools/embedded-cluster/platform.ts';
import { createProgress, duration } from '../tools/embedded-cluster/progress.ts';
import { clusterOf } from '../tools/embedded-cluster/shared-cluster.ts';
import { writeOperatorImage } from './image/operator.ts';
import { CHECKS, runChecks, suiteOfCheck } from './test/checks.ts';
import { add, closingLine, countsOf, countsOfProgram, none, type Counts } from './test/counts.ts';
import { runJest } from './test/jest.ts';
import { parseOptions } from './test/options.ts';
import { createResultStore, type ResultStore } from './test/result-store.ts';
import { readResults, resultsFile } from './test/results-file.ts';
import { passedSuites, resultOf, type SuiteResult } from './test/results.ts';
import { isFirst, matchingFiles, MAX_WORKERS, planStages, type Stage } from './test/stages.ts';
import { isClusterTest, readSuites, suiteOf, type Suite } from './test/suites.ts';
import { treeDigest } from './test/tree.ts';

const options = parseOptions(process.argv.slice(2), process.env['KARMADA_TEST_SEED']);
const { choice, shard, complete } = options;
const out = createProgress(process.stdout);
const isRoot = process.getuid?.() === 0;

/** Derives the seed from the commit, so that a commit always selects the same cases. `--seed` selects others. */
async function commitSeed(): Promise<number> {
  const { code, stdout } = await attempt(['git', 'rev-parse', 'HEAD'], { cwd: checkout });
  return code === 0 ? Number.parseInt(stdout.slice(0, 7), 16) : randomInt(1, 2 ** 28);
}

/** Builds the operator image once for all suites that install it. */
async function prepare({ suites }: Stage): Promise<void> {
  if (!suites.some(({ file }) => isClusterTest(file)) || !isRoot) return;
  const image = await out.step('operator image', () => writeOperatorImage());
  process.env['KARMADA_TEST_IMAGE'] = JSON.stringify(image);
}

interface StageRun {
  readonly counts: Counts;
  readonly results: readonly SuiteResult[];
}

/** Runs a stage. Stores the result of a suite that needs servers when it ends, and those of unit tests at the end. */
async function runStage(stage: Stage, { store }: ResultStore): Promise<StageRun> {
  out.note(`== ${stage.name}`);
  const files = stage.suites.map(({ file }) => file);
  const seconds = Object.fromEntries(stage.suites.map((suite) => [suite.file, suite.seconds]));
  const results: SuiteResult[] = [];
  try {
    const isUnit = stage.name === 'unit';
    if (!isUnit) requireLinuxOnX64('a test with an API server or a cluster');
    await prepare(stage);
    const report = await runJest({ ...stage, files, seconds }, async (run) => {
      // A suite that was skipped has no result.
      if (run.cases.length === 0 && !run.failed) return;
      results.push(resultOf(run));
      if (!isUnit) await store(results.slice(-1));
    });
    if (isUnit) await store(results);
    return { counts: countsOf(report), results };
  } catch (error) {
    out.note(error instanceof Error ? error.message : String(error));
    return { counts: { passed: 0, failed: 1, skipped: 0 }, results };
  }
}

/** Prints the duration of each suite that needs servers, and which ones took longer than their size allows. */
function tellTimes(stages: readonly Stage[], results: readonly SuiteResult[]): void {
  const limits = new Map(
    stages.flatMap(({ suites }) => suites.map(({ file, limit }) => [suiteOf(file), limit])),
  );
  const long = results.filter(({ suite }) => /^(?:integration|e2e)\//.test(suite));
  for (const { suite, seconds } of long.toSorted((a, b) => b.seconds - a.seconds)) {
    const limit = limits.get(suite) ?? Infinity;
    const note = seconds > limit ? `  its size allows ${duration(limit * 1000)}` : '';
    out.note(`${suite.padEnd(40)} ${duration(seconds * 1000).padStart(12)}${note}`);
  }
}

/** Prints which suites are not part of the sample. */
function tellOmitted(suites: readonly Suite[], stages: readonly Stage[]): void {
  const selected = new Set(stages.flatMap((stage) => stage.suites.map(({ file }) => file)));
  const omitted = suites.filter(({ file }) => !selected.has(file)).map(({ file }) => suiteOf(file));
  if (omitted.length > 0) out.note(`not selected: ${omitted.join(', ')}`);
}

function plan(seed: number, passed: ReadonlySet<string>): Stage[] {
  const suites = readSuites(checkout, matchingFiles(checkout, options.projects, options.patterns));
  const memory = totalmem();
  const stages = planStages({ suites, choice, seed, shard, passed, complete, memory });
  if (choice.kind === 'sample' || choice.kind === 'check') tellOmitted(suites, stages);
  if (suites.some(({ file }) => isClusterTest(file)) && !isRoot)
    out.note('e2e tests skipped: they need root');
  return stages;
}

/** Runs checks and suites. @returns the counts of each check and stage */
async function runAll(seed: number, tree: string): Promise<[string, Counts][]> {
  const known = options.resume ? readResults(resultsFile(checkout, tree)) : undefined;
  const passed = known === undefined ? new Set<string>() : passedSuites(known);
  const store: ResultStore = complete
    ? createResultStore({
        root: checkout,
        tree,
        digest: () => treeDigest(checkout),
        note: out.note,
        environment: process.env,
      })
    : { store: async () => undefined };
  const checks = options.checks && isFirst(shard) ? Object.entries(CHECKS) : [];
  const counts: [string, Counts][] = [];
  const due = checks.filter(([name]) => !passed.has(suiteOfCheck(name)));
  const checked = await runChecks(Object.fromEntries(due), out);
  for (const result of checked) counts.push([result.suite, countsOfProgram(result.passed)]);
  await store.store(checked);
  const stages = plan(seed, passed);
  const results: SuiteResult[] = [];
  for (const stage of stages) {
    const run = await runStage(stage, store);
    counts.push([stage.name, run.counts]);
    results.push(...run.results);
  }
  tellTimes(stages, results);
  return counts;
}

async function main(): Promise<Counts> {
  const seed = Number(options.seed ?? (await commitSeed()));
  process.env['KARMADA_TEST_SEED'] = String(seed);
  process.env['KARMADA_TEST_TIER'] = complete ? 'all' : 'sample';
  out.note(`seed ${String(seed)}, ${complete ? 'all cases' : 'sample of the long suites'}`);
  const began = Date.now();
  const tree = await treeDigest(checkout);
  const counts = await runAll(seed, tree);
  // Only a full run removes the clusters. A developer who runs one suite usually runs it again soon.
  if (options.whole && options.projects.includes('e2e') && isRoot)
    for (let worker = 1; worker <= MAX_WORKERS; worker++) await down(clusterOf(worker), out);
  for (const [name, some] of counts) out.note(`${name.padEnd(12)} ${closingLine(some)}`);
  if (complete) out.note(`results: ${resultsFile(checkout, tree)}`);
  out.note(`total time ${duration(Date.now() - began)}`);
  return counts.map(([, some]) => some).reduce(add, none);
}

process.chdir(checkout);
const total = await main();
process.stdout.write(`${closingLine(total)}\n`);
process.exitCode = total.failed === 0 ? 0 : 1;
