/** Properties of test suites, which are identified by their files. */
import { suiteOf } from './ledger.ts';

/**
 * Suites that test the tools of this repository and not the operator, with their additional inputs: programs that they
 * start, and documents whose commands they execute. They run when one of their inputs has changed.
 */
const TOOL_SUITES: Readonly<Record<string, readonly string[]>> = {
  'e2e/cluster': ['test/embedded-cluster/main.ts'],
  'e2e/lifecycle': ['test/embedded-cluster/main.ts'],
  'e2e/multi-cluster': ['test/embedded-cluster/main.ts'],
  'e2e/errors': ['test/embedded-cluster/main.ts'],
  'e2e/demo': ['test/demo/main.ts', 'config/remote-host/rights.yaml'],
  'e2e/readme': ['README.md', 'test/demo/main.ts', 'scripts/run.mjs'],
};

/**
 * Suites that must run alone. They compare the state of the whole machine, share a cluster by its name, or start so
 * many clusters that the requests of a concurrent suite would time out.
 */
const ALONE: ReadonlySet<string> = new Set([
  ...['e2e/lifecycle', 'e2e/demo', 'e2e/readme', 'e2e/remote-host'],
]);

/** Suites that take too long for a sampled run. Only `npm run test:all` runs them. */
const LONG: ReadonlySet<string> = new Set(['e2e/operator-upgrade']);

/**
 * Suites that are sampled: each one tests one feature or one kind of failure. The other suites always run, because
 * they test what every control plane needs (installation, upgrade, repair, a remote host cluster, etcd).
 */
const DRAWN: ReadonlySet<string> = new Set(
  [
    ...['addons', 'custom-ca', 'deletion', 'disasters', 'exposure', 'external-etcd', 'failures'],
    ...['fault-injection', 'fields', 'operator-crash', 'member-clusters', 'register-clusters'],
    ...['registry', 'samples'],
  ].map((name) => `e2e/${name}`),
);

/** Number of sampled suites in a run. */
export const DRAWN_SUITES = 7;

export const isDrawn = (file: string): boolean => DRAWN.has(suiteOf(file));

/** Usual seconds of suites without recorded results. The longest suites start first. */
const USUAL_SECONDS: Readonly<Record<string, number>> = {
  ...{
    'e2e/adoption': 330,
    'e2e/upgrade': 330,
    'e2e/external-etcd': 310,
    'e2e/addons': 300,
    'e2e/deletion': 300,
  },
  ...{ 'e2e/etcd': 240, 'e2e/failures': 220, 'e2e/etcd-birth': 220, 'e2e/operator-crash': 220 },
  ...{ 'e2e/disasters': 210, 'e2e/fault-injection': 210, 'e2e/core': 200, 'e2e/writes': 190 },
};

/**
 * Returns the expected seconds of a suite, by which suites are sorted; undefined if unknown.
 * @param recorded recorded seconds of the last run
 */
export function secondsToOrderBy(file: string, recorded: number | undefined): number | undefined {
  return recorded ?? USUAL_SECONDS[suiteOf(file)];
}

/** Returns the additional inputs of a tool suite; undefined for an operator suite. */
export const toolInputs = (file: string): readonly string[] | undefined =>
  TOOL_SUITES[suiteOf(file)];

/** Returns true if a test file tests single modules and needs no server. */
export const isUnitTest = (file: string): boolean => !/^test\/(integration|e2e)\//.test(file);

export const isLong = (file: string): boolean => LONG.has(suiteOf(file));

export const runsAlone = (file: string): boolean => ALONE.has(suiteOf(file));

/** One part of the suites, such as the first of three. */
export interface Shard {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
}

/**
 * Parses a shard such as `1/3`.
 * @throws Error with the expected format
 */
export function parseShard(text: string): Shard {
  const [, index, count] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (index === undefined || count === undefined || index < 1 || index > count)
    throw new Error(`--shard ${text}: invalid shard; write it as NUMBER/COUNT, such as 1/3`);
  return { index, count };
}

/**
 * Returns the suites of a shard. All shards together contain every suite once, and take about the same time.
 * @param secondsOf returns the expected seconds of a suite
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
