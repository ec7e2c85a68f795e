/** What a run of the tests does, in order. */
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

/** Test files of one project, by the patterns of `jest.config.js`, relative to the checkout. */
export function filesOf(root: string, project: Project): string[] {
  const found = jestConfig.projects.find(({ displayName }) => displayName === project);
  const patterns = (found?.testMatch ?? []).map((pattern) => pattern.replace('<rootDir>/', ''));
  return globSync(patterns, { cwd: root }).sort();
}

/** A run of jest over some test files. */
export interface Stage {
  readonly name: string;
  readonly projects: readonly Project[];
  readonly files: readonly string[];
  readonly workers: number;
}

export interface Wish {
  readonly root: string;
  /** The test files to choose from. */
  readonly files: readonly string[];
  /** Whether somebody named them: then all of them run, in one cluster. */
  readonly named: boolean;
  readonly shard?: Shard | undefined;
  /** Whether suites about the tools run although nothing of them changed, and those that take long. */
  readonly everything: boolean;
  /** Whether suites that passed with the present inputs are left out. */
  readonly resume: boolean;
  readonly keys: ReadonlyMap<string, string>;
  /** Which suites are drawn. */
  readonly seed: number;
}

export interface TestPlan {
  readonly stages: readonly Stage[];
  /** Suites that are left out because nothing that they depend on has changed since they passed. */
  readonly unchanged: readonly string[];
  /** Suites that were not drawn. */
  readonly undrawn: readonly string[];
}

/** Expected seconds of suites by their files: the order in which they begin, and the parts of a run. */
export function expectedSeconds(root: string, files: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    files.flatMap((file) => {
      const recorded = secondsOf(readLedger(root, suiteOf(file)));
      const seconds = secondsToOrderBy(file, recorded);
      return seconds === undefined ? [] : [[file, seconds]];
    }),
  );
}

/** Whether a suite is left out, because what it depends on has not changed since all of it passed. */
function isSettled({ root, everything, resume, keys }: Wish, file: string): boolean {
  const tool = toolInputs(file) !== undefined && !everything;
  if (!tool && !resume) return false;
  return passedWith(readLedger(root, suiteOf(file)), keys.get(file) ?? '');
}

/**
 * The test files of some projects.
 * @param patterns parts of their paths; none means all of them
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
 * The stages of a run, and the suites that it leaves out. Unit tests come first, since they fail fastest. Suites that
 * need servers follow, two at a time with a cluster for each; a run of few suites by hand has one cluster.
 */
export function planStages(wish: Wish): TestPlan {
  const { named, everything } = wish;
  const possible = named || everything ? wish.files : wish.files.filter((file) => !isLong(file));
  const undrawn = named || everything ? [] : undrawnOf(wish, possible);
  const files = possible.filter((file) => !undrawn.includes(file));
  const unchanged = files.filter((file) => !named && isSettled(wish, file));
  const left = files.filter((file) => !unchanged.includes(file));
  const seconds = expectedSeconds(wish.root, left);
  const servers = left.filter((file) => !isUnitTest(file));
  const part =
    wish.shard === undefined
      ? servers
      : shardOf(servers, wish.shard, (file) => seconds[file] ?? 100);
  const unit = wish.shard === undefined || wish.shard.index === 1 ? left.filter(isUnitTest) : [];
  const workers = named ? 1 : 2;
  const both: readonly Project[] = ['integration', 'e2e'];
  const stages: Stage[] = [
    { name: 'unit', projects: ['unit'], files: unit, workers: 2 },
    { name: 'servers', projects: both, files: part.filter((file) => !runsAlone(file)), workers },
    { name: 'alone', projects: both, files: part.filter(runsAlone), workers: 1 },
  ];
  return { stages: stages.filter((stage) => stage.files.length > 0), unchanged, undrawn };
}

/** The suites that are not drawn, of those that are. */
function undrawnOf({ root, seed }: Wish, files: readonly string[]): readonly string[] {
  const candidates = files.filter(isDrawn);
  const known = candidates.flatMap((file) => {
    const suite = suiteOf(file);
    return asCase(file, readLedger(root, suite)) ?? [];
  });
  const chosen = new Set(draw(candidates, DRAWN_SUITES, known, seed));
  return candidates.filter((file) => !chosen.has(file));
}
