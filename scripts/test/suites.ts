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
 * Suites that only a complete run has: they need programs that a sampled run does not build, or have a case that never
 * passed in a complete run. Remove a suite of the second kind as soon as it has passed.
 */
const COMPLETE_RUN: ReadonlySet<string> = new Set([
  'e2e/upgrade-releases',
  ...['e2e/etcd-members', 'e2e/etcd-nodes', 'e2e/etcd-peer-tls', 'e2e/etcd-upkeep'],
  'e2e/remote-host-outages',
]);

export const needsCompleteRun = (file: string): boolean => COMPLETE_RUN.has(suiteOf(file));

/** Returns true if a sampled run can omit the suite. */
export const isDrawn = (file: string): boolean =>
  file.startsWith('test/e2e/') && !CORE.has(suiteOf(file));

/**
 * Usual seconds of suites in a sampled run, in which two suites run at a time on two cores. A run prints which suites
 * took longer.
 */
const USUAL_SECONDS: Readonly<Record<string, number>> = {
  'e2e/adoption': 330,
  ...{ 'e2e/external-etcd': 435, 'e2e/fault-injection': 300, 'e2e/remote-host-outages': 420 },
  ...{ 'e2e/addons': 270, 'e2e/deletion': 250, 'e2e/upgrade': 250, 'e2e/etcd-members': 250 },
  ...{ 'e2e/etcd-nodes': 330, 'e2e/two-host-clusters': 320, 'e2e/etcd-birth': 205 },
  ...{ 'e2e/operator-upgrade': 200 },
  ...{ 'e2e/etcd': 180, 'e2e/failures': 180, 'e2e/disasters': 160, 'e2e/operator-crash': 160 },
  ...{ 'e2e/writes': 150, 'e2e/core': 130, 'e2e/remote-host': 180, 'e2e/etcd-scaling': 110 },
  ...{ 'e2e/repair': 110, 'e2e/multi-cluster': 85, 'e2e/custom-ca': 80, 'e2e/registry': 75 },
  ...{ 'e2e/etcd-upkeep': 400, 'e2e/etcd-recovery': 200 },
  ...{ 'e2e/register-clusters': 75, 'e2e/fields': 55, 'e2e/operator': 25, 'e2e/cluster': 20 },
  ...{ 'e2e/errors': 15, 'integration/hosts/dead-hosts': 80, 'integration/hosts/load': 65 },
  ...{ 'integration/hosts/lost-right': 62, 'integration/reconcile/certificate-faults': 58 },
  ...{ 'integration/reconcile/host-rights': 52, 'integration/generated/generated': 42 },
  ...{ 'integration/reconcile/rights': 40, 'integration/chart/server': 33 },
  ...{ 'integration/kubernetes/client': 31, 'integration/kubernetes/unions': 31 },
  ...{ 'integration/cli/commands': 24, 'integration/cli/programs': 24 },
