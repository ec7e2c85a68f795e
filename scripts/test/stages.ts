/** Plans the stages of a test run. */
import { globSync } from 'node:fs';
import jestConfig from '../../jest.config.js';
import { draw } from './draw.ts';
import { asCase, passedWith, readLedger, secondsOf, suiteOf } from './ledger.ts';
import {
  DRAWN_SUITES,
  isDrawn,
  isLong,
  isUnitTest,
  runsAlone,
  secondsToOrderBy,
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
  /** True to run all suites, including unchanged tool suites and long suites. */
  readonly everything: boolean;
  /** True to skip suites that passed with the current inputs. */
  readonly resume: boolean;
  readonly keys: ReadonlyMap<string, string>;
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

/** Returns the expected seconds of suites by file. They determine the start order and the shards of a run. */
export function expectedSeconds(root: string, files: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    files.flatMap((file) => {
      const recorded = secondsOf(readLedger(root, suiteOf(file)));
      const seconds = secondsToOrderBy(file, recorded);
      return seconds === undefined ? [] : [[file, seconds]];
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
  const { named, everything } = desiredState;
  const possible =
    named || everything ? desiredState.files : desiredState.files.filter((file) => !isLong(file));
  const undrawn = named || everything ? [] : undrawnOf(desiredState, possible);
  const files = possible.filter((file) => !undrawn.includes(file));
  const unchanged = files.filter((file) => !named && isSettled(desiredState, file));
  const left = files.filter((file) => !unchanged.includes(file));
  const seconds = expectedSeconds(desiredState.root, left);
  const servers = left.filter((file) => !isUnitTest(file));
  const part =
    desiredState.shard === undefined
      ? servers
      : shardOf(servers, desiredState.shard, (file) => seconds[file] ?? 100);
  const unit =
    desiredState.shard === undefined || desiredState.shard.index === 1
      ? left.filter(isUnitTest)
      : [];
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
function undrawnOf({ root, seed }: Wish, files: readonly string[]): readonly string[] {
  const candidates = files.filter(isDrawn);
  const known = candidates.flatMap((file) => {
    const suite = suiteOf(file);
    return asCase(file, readLedger(root, suite)) ?? [];
  });
  const chosen = new Set(draw(candidates, DRAWN_SUITES, known, seed));
  return candidates.filter((file) => !chosen.has(file));
}
