/** Plans the stages of a test run. */
import { globSync } from 'node:fs';
import jestConfig from '../../jest.config.js';
import { fillBudget, INTEGRATION_SECONDS, SERVER_SECONDS } from './budget.ts';
import { checkSuites } from './checks.ts';
import { drawOrder } from './draw.ts';
import { programJobs, suiteOfJob } from './jobs.ts';
import { shardOf, type Shard } from './shards.ts';
import { SIZES, type Size } from './sizes.ts';
import { isClusterTest, isUnitTest, suiteOf, type Suite } from './suites.ts';

export const projects = ['unit', 'integration', 'e2e'] as const;
export type Project = (typeof projects)[number];

/** Returns the test files of one project by the patterns of `jest.config.js`, relative to the checkout. */
export function filesOf(root: string, project: Project): string[] {
  const found = jestConfig.projects.find(({ displayName }) => displayName === project);
  const patterns = (found?.testMatch ?? []).map((pattern) => pattern.replace('<rootDir>/', ''));
  return globSync(patterns, { cwd: root }).sort();
}

/**
 * Returns the test files of the chosen projects.
 * @param patterns substrings of their paths; an empty list selects all files
 */
export function matchingFiles(
  root: string,
  chosen: readonly Project[],
  patterns: readonly string[],
): string[] {
  const files = chosen.flatMap((project) => filesOf(root, project));
  if (patterns.length === 0) return files;
  return files.filter((file) => patterns.some((pattern) => file.includes(pattern)));
}

export interface PlannedSuite extends Suite {
  /** Seconds that the plan counts for the suite. */
  readonly seconds: number;
  /** Seconds that the size of the suite allows. */
  readonly limit: number;
}

/** Number of suites that need servers and run at the same time, at most. */
export const MAX_WORKERS = 3;

/** One jest run with its suites. */
export interface Stage {
  readonly name: string;
  readonly projects: readonly Project[];
  readonly suites: readonly PlannedSuite[];
  readonly workers: number;
}

/**
 * What a run selects: suites that the user named, the unit tests of `npm run check`, the sample of `npm test`, all suites
 * that are in no job, or the suites of a job.
 */
export type Choice =
  | { readonly kind: 'named' | 'check' | 'sample' | 'all' }
  | { readonly kind: 'job'; readonly job: string };

export interface SuiteRequest {
  readonly suites: readonly Suite[];
  readonly choice: Choice;
  /** Seed of the sample. */
  readonly seed: number;
  readonly shard?: Shard | undefined;
  /** Names of suites that already passed and are left out. */
  readonly passed?: ReadonlySet<string>;
  /** True if suites run all their cases. */
  readonly complete: boolean;
  /** Memory of the machine in bytes. */
  readonly memory: number;
}

function planned(suite: Suite, size: Size): PlannedSuite {
  const { planned: seconds, limit } = SIZES[size];
  return { ...suite, seconds, limit };
}

/** Returns the suites that a choice includes. */
function chosen({ choice, seed, ...request }: SuiteRequest): PlannedSuite[] {
  const suites = request.suites.map((suite) =>
    planned(suite, request.complete ? suite.size : suite.sample),
  );
  switch (choice.kind) {
    case 'named':
      return suites;
    case 'check':
      return suites.filter(({ file, tier }) => isUnitTest(file) && tier !== 'test');
    case 'all':
      return suites.filter(({ job }) => job === undefined);
    case 'job':
      return suites.filter(({ job }) => job === choice.job);
    case 'sample':
      return sampleOf(suites, seed);
  }
}

/**
 * Returns the suites of `npm test`: all unit tests and the suites in a cluster that always run, then integration tests
 * and drawn suites in a cluster, as far as their planned time fits.
 */
function sampleOf(suites: readonly PlannedSuite[], seed: number): PlannedSuite[] {
  const inOrder = (some: readonly PlannedSuite[]): PlannedSuite[] =>
    drawOrder(
      some.map(({ file }) => file),
      seed,
    ).flatMap((file) => some.find((suite) => suite.file === file) ?? []);
  const servers = suites.filter(({ file }) => !isUnitTest(file));
  const always = servers.filter(({ tier }) => tier === 'always');
  const fixed = always.filter(({ file }) => isClusterTest(file));
  const integration = inOrder(always.filter(({ file }) => !isClusterTest(file)));
  const drawn = inOrder(servers.filter(({ tier }) => tier === 'drawn'));
  const base = [...fixed, ...fillBudget(fixed, integration, INTEGRATION_SECONDS)];
  const selected = new Set([...base, ...fillBudget(base, drawn, SERVER_SECONDS)]);
  return suites.filter((suite) => isUnitTest(suite.file) || selected.has(suite));
}

/** Memory of the machine in bytes from which three clusters fit, each with control planes and a second host cluster. */
const MEMORY_OF_THREE = 16e9;

/**
 * Returns how many suites that need servers run at the same time. A run of named suites has one cluster. In a complete run
 * most suites wait for containers most of the time, so a third one uses the cores that two leave idle.
 */
function serverWorkers({ choice, memory }: SuiteRequest): number {
  if (choice.kind === 'named') return 1;
  return choice.kind === 'all' && memory >= MEMORY_OF_THREE ? MAX_WORKERS : 2;
}

/**
 * Plans the stages of a run. Unit tests run first, because they fail fastest. Suites that need servers follow, each worker
 * with its own cluster.
 */
export function planStages(request: SuiteRequest): Stage[] {
  const { shard, passed = new Set() } = request;
  const all = chosen(request);
  const inShard = (suites: readonly PlannedSuite[]): readonly PlannedSuite[] =>
    shard === undefined ? suites : shardOf(suites, shard);
  const left = (suites: readonly PlannedSuite[]): PlannedSuite[] =>
    suites.filter(({ file }) => !passed.has(suiteOf(file)));
  const servers = left(inShard(all.filter(({ file }) => !isUnitTest(file))));
  const unit = left(all.filter(({ file }) => isUnitTest(file)));
  const both: readonly Project[] = ['integration', 'e2e'];
  const workers = serverWorkers(request);
  const stages: Stage[] = [
    { name: 'unit', projects: ['unit'], suites: isFirst(shard) ? unit : [], workers: 2 },
    { name: 'servers', projects: both, suites: servers.filter(({ alone }) => !alone), workers },
    { name: 'alone', projects: both, suites: servers.filter(({ alone }) => alone), workers: 1 },
  ];
  return stages.filter(({ suites }) => suites.length > 0);
}

/** Returns true for the part of a run that also has the checks and the unit tests. */
export const isFirst = (shard: Shard | undefined): boolean => (shard?.index ?? 1) === 1;

/** Returns the names of all suites that a release needs the results of: checks, test files and jobs. */
export const expectedSuites = (root: string): string[] => [
  ...checkSuites,
  ...matchingFiles(root, projects, []).map(suiteOf),
  ...programJobs.map(suiteOfJob),
];
