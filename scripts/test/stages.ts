/** Plans the stages of a test run. */
import { globSync } from 'node:fs';
import jestConfig from '../../jest.config.js';
import { fillBudget, SERVER_SECONDS, type Suite } from './budget.ts';
import { drawOrder } from './draw.ts';
import { asCase, passedWith, readLedger, secondsOf, suiteOf } from './ledger.ts';
import {
  isDrawn,
  isUnitTest,
  needsCompleteRun,
  runsAlone,
  secondsOfSuite,
  shardOf,
  toolInputs,
  type Shard,
} from './suites.ts';

export const projects = ['unit', 'integration', 'e2e'] as const;
export type Project = (typeof projects)[number];

/** Returns the test files of one project by the patterns of `jest.config.js`, relative to the checkout. */
export function filesOf(root: string, project: Project): string[] {
  const found = jestConfig.projects.find(({ displayName }) => displayName === project);
  const patterns = (found?.testMatch ?? []).map((pattern) => pattern.replace('<rootDir>/', ''));
  return globSync(patterns, { cwd: root }).sort();
}

/** One jest run with its test files. */
export interface Stage {
  readonly name: string;
  readonly projects: readonly Project[];
  readonly files: readonly string[];
  readonly workers: number;
}

export interface Wish {
  readonly root: string;
  /** The candidate test files. */
  readonly files: readonly string[];
  /** True if the user named the files. Then all of them run, in one cluster. */
  readonly named: boolean;
  readonly shard?: Shard | undefined;
  /** True to run all suites, including unchanged tool suites. */
  readonly everything: boolean;
  /** True to skip suites that passed with the current inputs. */
  readonly resume: boolean;
  readonly keys: ReadonlyMap<string, string>;
  /** Files that the tested commit changed. Their suites are selected first. */
  readonly changed: ReadonlySet<string>;
  /** Seed of the sample. */
  readonly seed: number;
}

export interface TestPlan {
  readonly stages: readonly Stage[];
  /** Suites that are skipped, because their inputs have not changed since they passed. */
  readonly unchanged: readonly string[];
  /** Suites that are not part of the sample. */
  readonly undrawn: readonly string[];
}

/**
 * Returns the expected seconds of the suites that need servers, by file. They determine the start order, the sample and
 * the shards of a run.
 * @param everything true for a complete run
 */
export function expectedSeconds(
  root: string,
  files: readonly string[],
  everything: boolean,
): Record<string, number> {
  return Object.fromEntries(
    files
      .filter((file) => !isUnitTest(file))
      .map((file) => {
        const recorded = secondsOf(readLedger(root, suiteOf(file)));
        return [file, secondsOfSuite(file, recorded, everything)];
      }),
  );
}

/** Returns true if a suite is skipped, because its inputs have not changed since all its cases passed. */
function isSettled({ root, everything, resume, keys }: Wish, file: string): boolean {
  const tool = toolInputs(file) !== undefined && !everything;
  if (!tool && !resume) return false;
  return passedWith(readLedger(root, suiteOf(file)), keys.get(file) ?? '');
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

/**
 * Plans the stages of a run and the suites that it skips. Unit tests run first, because they fail fastest. Suites that
 * need servers follow, two at a time, each with its own cluster. A run of named suites has one cluster.
 */
export function planStages(desiredState: Wish): TestPlan {
  const { root, files, named, everything, shard } = desiredState;
  const unchanged = files.filter((file) => !named && isSettled(desiredState, file));
  const possible = files.filter((file) => !unchanged.includes(file));
  const undrawn = named || everything ? [] : undrawnOf(desiredState, possible);
  const left = possible.filter((file) => !undrawn.includes(file));
  const seconds = expectedSeconds(root, left, everything);
  const servers = left.filter((file) => !isUnitTest(file));
  const part =
    shard === undefined ? servers : shardOf(servers, shard, (file) => seconds[file] ?? 0);
  const unit = shard === undefined || shard.index === 1 ? left.filter(isUnitTest) : [];
  const workers = named ? 1 : 2;
  const both: readonly Project[] = ['integration', 'e2e'];
  const stages: Stage[] = [
    { name: 'unit', projects: ['unit'], files: unit, workers: 2 },
    { name: 'servers', projects: both, files: part.filter((file) => !runsAlone(file)), workers },
    { name: 'alone', projects: both, files: part.filter(runsAlone), workers: 1 },
  ];
  return { stages: stages.filter((stage) => stage.files.length > 0), unchanged, undrawn };
}

/** Returns the sampled suites that are not selected in this run. */
function undrawnOf({ root, seed, changed }: Wish, files: readonly string[]): readonly string[] {
  const drawn = files.filter(isDrawn);
  const known = drawn.flatMap((file) => asCase(file, readLedger(root, suiteOf(file))) ?? []);
  const order = drawOrder(
    drawn.filter((file) => !needsCompleteRun(file)),
    known,
    seed,
  );
  const seconds = expectedSeconds(root, files, false);
  const suite = (file: string): Suite => ({
    file,
    seconds: seconds[file] ?? 0,
    alone: runsAlone(file),
  });
  const always = files.filter((file) => !isUnitTest(file) && !isDrawn(file)).map(suite);
  const candidates = [
    ...order.filter((file) => changed.has(file)),
    ...order.filter((file) => !changed.has(file)),
  ].map(suite);
  const chosen = fillBudget(always, candidates, SERVER_SECONDS).map(({ file }) => file);
  return drawn.filter((file) => !chosen.includes(file));
}
