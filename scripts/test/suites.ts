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

/** Suites that must run alone. They compare the state of the whole machine, or share a cluster by its name. */
const ALONE: ReadonlySet<string> = new Set(['e2e/lifecycle', 'e2e/demo', 'e2e/readme']);

/**
 * Suites in a cluster that every run has: an installation, an upgrade, a remote host cluster, and etcd members that are
 * added and removed. All other suites in a cluster, also those added later, are sampled.
 */
const CORE: ReadonlySet<string> = new Set([
  ...['e2e/core', 'e2e/upgrade', 'e2e/remote-host', 'e2e/etcd-scaling'],
]);

/**
 * Suites that only a complete run has: they need programs that a sampled run does not build, take too long, or have a
 * case that never passed in a complete run. Remove a suite of the last kind as soon as it has passed.
 */
const COMPLETE_RUN: ReadonlySet<string> = new Set([
  ...['e2e/upgrade-releases', 'integration/metrics/alerts', 'integration/release/build'],
  ...['e2e/etcd-members', 'e2e/etcd-member-kills', 'e2e/etcd-nodes', 'e2e/restore-kills'],
  ...['e2e/backup-s3', 'e2e/component-metrics', 'e2e/published-release'],
  ...['integration/backup/second-server', 'e2e/lost-host-cluster', 'e2e/lost-remote-host'],
  ...['e2e/adoption', 'e2e/operator-upgrade', 'e2e/chart-upgrade'],
]);

export const needsCompleteRun = (file: string): boolean => COMPLETE_RUN.has(suiteOf(file));

/** Returns true if a sampled run can omit the suite. */
export const isDrawn = (file: string): boolean =>
  (file.startsWith('test/e2e/') && !CORE.has(suiteOf(file))) || needsCompleteRun(file);

/**
 * Usual seconds of suites in a sampled run, in which two suites run at a time on two cores. A run prints which suites
 * took longer.
 */
const USUAL_SECONDS: Readonly<Record<string, number>> = {
  ...{
    'e2e/adoption': 330,
    'e2e/etcd-remote': 420,
    'e2e/adoption-incomplete': 420,
    'e2e/adoption-return': 330,
    'e2e/adoption-remote': 330,
  },
  ...{ 'e2e/external-etcd': 435, 'e2e/fault-injection': 300, 'e2e/remote-host-outages': 420 },
  ...{ 'e2e/addons': 270, 'e2e/deletion': 250, 'e2e/upgrade': 250, 'e2e/etcd-members': 250 },
  ...{ 'e2e/etcd-nodes': 330, 'e2e/two-host-clusters': 320, 'e2e/etcd-birth': 205 },
  ...{ 'e2e/operator-upgrade': 200, 'e2e/chart-upgrade': 120 },
  ...{ 'e2e/etcd': 180, 'e2e/failures': 180, 'e2e/disasters': 160, 'e2e/operator-crash': 160 },
  ...{ 'e2e/writes': 150, 'e2e/core': 130, 'e2e/remote-host': 180, 'e2e/etcd-scaling': 110 },
  ...{ 'e2e/repair': 110, 'e2e/multi-cluster': 85, 'e2e/custom-ca': 80, 'e2e/registry': 75 },
  ...{
    'e2e/etcd-upkeep': 250,
    'e2e/etcd-recovery': 480,
    'e2e/upgrade-rollback': 200,
    'e2e/samples': 60,
  },
  ...{ 'e2e/register-clusters': 110, 'e2e/fields': 55, 'e2e/operator': 25, 'e2e/cluster': 20 },
  ...{ 'e2e/demo': 80, 'e2e/lifecycle': 90 },
  ...{ 'e2e/errors': 15, 'integration/hosts/dead-hosts': 80, 'integration/hosts/load': 65 },
  ...{
    'integration/hosts/lost-right': 62,
    'integration/metrics/alerts': 210,
    'integration/metrics/secure': 20,
    'integration/reconcile/certificate-faults': 58,
  },
  ...{ 'integration/reconcile/host-rights': 52, 'integration/generated/generated': 42 },
  ...{ 'integration/reconcile/rights': 40, 'integration/chart/server': 34 },
  ...{
    'integration/chart/metrics': 15,
    'integration/chart/crds': 4,
    'integration/gitops/health': 2,
    'integration/release/build': 300,
  },
  ...{ 'integration/kubernetes/client': 31, 'integration/kubernetes/unions': 31 },
  ...{ 'integration/cli/commands': 29, 'integration/cli/programs': 24 },
  ...{ 'e2e/plugin': 90, 'e2e/published-release': 130, 'e2e/watched-namespaces': 70 },
  ...{ 'integration/backup/engine': 45, 'integration/backup/stores': 30 },
  ...{ 'integration/backup/slow-store': 50, 'integration/backup/killed-job': 25 },
  ...{ 'integration/backup/second-server': 15 },
  ...{
    'integration/backup/controller': 15,
    'integration/backup/restore': 10,
    'e2e/backup': 345,
    'e2e/restore-kills': 240,
    'e2e/restore-members': 240,
    'e2e/upgrade-backup': 150,
  },
  ...{ 'e2e/lost-host-cluster': 720, 'e2e/lost-remote-host': 290 },
  ...{ 'e2e/etcd-member-kills': 190, 'e2e/etcd-peer-tls': 340, 'integration/etcd/peer-tls': 40 },
};

/** Seconds of a suite that neither ran nor has usual seconds. */
const UNKNOWN_SECONDS = { integration: 20, e2e: 200 } as const;

/**
 * Returns the expected seconds of a suite.
 * @param recorded recorded seconds of the last complete run, without setup; undefined if it never ran
 * @param everything true for a complete run, in which suites with many similar cases take much longer
 */
export function secondsOfSuite(
  file: string,
  recorded: number | undefined,
  everything: boolean,
): number {
  const usual = USUAL_SECONDS[suiteOf(file)];
  const known = everything ? (recorded ?? usual) : (usual ?? recorded);
  return known ?? UNKNOWN_SECONDS[file.startsWith('test/e2e/') ? 'e2e' : 'integration'];
}

/** Returns the additional inputs of a tool suite; undefined for an operator suite. */
export const toolInputs = (file: string): readonly string[] | undefined =>
  TOOL_SUITES[suiteOf(file)];

/** Returns true if a test file tests single modules and needs no server. */
export const isUnitTest = (file: string): boolean => !/^test\/(integration|e2e)\//.test(file);

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
