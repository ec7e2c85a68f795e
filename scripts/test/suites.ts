/** Which test suites there are, and what is special about some of them. Suites are named by their files. */
import { suiteOf } from './ledger.ts';

/**
 * Suites about the tools of this repository rather than about the operator, with the further files that decide about
 * them: programs that they start, and documents that they carry out. They run when one of their inputs changed.
 */
const TOOL_SUITES: Readonly<Record<string, readonly string[]>> = {
  'e2e/cluster': ['test/cluster/main.ts'],
  'e2e/lifecycle': ['test/cluster/main.ts'],
  'e2e/neighbours': ['test/cluster/main.ts'],
  'e2e/errors': ['test/cluster/main.ts'],
  'e2e/demo': ['test/demo/main.ts', 'config/remote-host/rights.yaml'],
  'e2e/readme': ['README.md', 'test/demo/main.ts', 'scripts/run.mjs'],
};

/**
 * Suites during which nothing else may run: they compare the whole machine, share a cluster by its name, or bring up so
 * many clusters that calls of a suite beside them would not be answered in time.
 */
const ALONE: ReadonlySet<string> = new Set([
  ...['e2e/lifecycle', 'e2e/demo', 'e2e/readme', 'e2e/remote-host'],
]);

/** Suites that take longer than a run that draws its cases may: only `npm run test:all` has them. */
const LONG: ReadonlySet<string> = new Set(['e2e/operator-upgrade']);

/**
 * Suites about one feature or one kind of disturbance. What every control plane needs (installation, upgrade, repair, a
 * remote host, etcd) is in the others, which run each time.
 */
const DRAWN: ReadonlySet<string> = new Set(
  [
    ...['addons', 'custom-ca', 'deletion', 'disasters', 'exposure', 'external-etcd', 'failures'],
    ...['faults', 'fields', 'kill', 'members', 'register', 'registry', 'samples'],
  ].map((name) => `e2e/${name}`),
);

/** How many of them a run draws. */
export const DRAWN_SUITES = 7;

export const isDrawn = (file: string): boolean => DRAWN.has(suiteOf(file));

/** Seconds by which suites are put in order, the longest first, where nothing is recorded. */
const USUAL_SECONDS: Readonly<Record<string, number>> = {
  ...{ 'e2e/upgrade': 330, 'e2e/external-etcd': 310, 'e2e/addons': 300, 'e2e/deletion': 300 },
  ...{ 'e2e/etcd': 240, 'e2e/failures': 220, 'e2e/etcd-birth': 220, 'e2e/kill': 220 },
  ...{ 'e2e/disasters': 210, 'e2e/faults': 210, 'e2e/core': 200, 'e2e/writes': 190 },
};

/** @param recorded seconds that the suite took when it was recorded last */
export function secondsToOrderBy(file: string, recorded: number | undefined): number | undefined {
  return recorded ?? USUAL_SECONDS[suiteOf(file)];
}

/** Further inputs of a suite about the tools; undefined for a suite about the operator. */
export const toolInputs = (file: string): readonly string[] | undefined =>
  TOOL_SUITES[suiteOf(file)];

/** Whether a test file is about one module, and needs no server. */
export const isUnitTest = (file: string): boolean => !/^test\/(integration|e2e)\//.test(file);

export const isLong = (file: string): boolean => LONG.has(suiteOf(file));

export const runsAlone = (file: string): boolean => ALONE.has(suiteOf(file));

/** A part of the suites, such as the first of three. */
export interface Shard {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
}

/**
 * Reads a shard such as `1/3`.
 * @throws Error that says how to write it
 */
export function parseShard(text: string): Shard {
  const [, index, count] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (index === undefined || count === undefined || index < 1 || index > count)
    throw new Error(`--shard ${text}: write it as NUMBER/COUNT, such as 1/3`);
  return { index, count };
}

/**
 * The suites of a shard. All shards together have every suite once, and take about the same time.
 * @param secondsOf expected seconds of a suite
 */
export function shardOf(
  files: readonly string[],
  { index, count }: Shard,
  secondsOf: (file: string) => number,
): string[] {
  const shards = Array.from({ length: count }, () => ({ seconds: 0, files: [] as string[] }));
  for (const file of [...files].sort((a, b) => secondsOf(b) - secondsOf(a) || (a < b ? -1 : 1))) {
    const lightest = shards.reduce((one, other) => (other.seconds < one.seconds ? other : one));
    lightest.seconds += secondsOf(file);
    lightest.files.push(file);
  }
  return shards[index - 1]?.files ?? [];
}
