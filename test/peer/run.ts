/** Runs an e2e suite of the Karmada module against the operator of this checkout, on an embedded cluster. */
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { attempt } from '../../tools/embedded-cluster/command.ts';
import { Failure } from '../../tools/embedded-cluster/failure.ts';
import { contextName } from '../../tools/embedded-cluster/kubeconfig.ts';
import { inNode } from '../../tools/embedded-cluster/node.ts';
import type { BuiltSuite } from './build.ts';
import { readReport, type PeerResult } from './report.ts';
import { filterFlags, type PeerSuite } from './suites/suite.ts';

const TIMEOUT_MINUTES = 120;

/** What the scripts of Karmada give to a suite. */
export interface SuiteEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  readonly flags: readonly string[];
}

/** A suite, and where it runs. */
export interface SuiteRun {
  readonly cluster: Cluster;
  readonly suite: PeerSuite;
  readonly built: BuiltSuite;
  /** File for the output. */
  readonly log: string;
}

/**
 * Runs the test binary of a suite on the node of a cluster.
 * @param prepare creates the environment; its parameter is the home directory of the suite
 * @throws Failure if the binary ended without a report
 */
export async function runSuite(
  { cluster, suite, built, log }: SuiteRun,
  prepare: (home: string) => Promise<SuiteEnvironment>,
): Promise<PeerResult> {
  const home = await mkdtemp(join(tmpdir(), 'peer-'));
  try {
    const common = await commonEnvironment(built, home);
    const { variables, flags } = await prepare(home);
    const command = [
      built.ginkgo,
      'run',
      '-v',
      '--no-color',
      `--procs=${String(suite.processes)}`,
      '--json-report=report.json',
      `--output-dir=${home}`,
      `--timeout=${String(TIMEOUT_MINUTES)}m`,
      ...filterFlags(suite.leftOut),
      built.binary,
      '--',
      `--host-context=${contextName(cluster.name)}`,
      ...suite.flags,
      ...flags,
    ];
    const { code } = await attempt(inNode(cluster.node, command), {
      cwd: home,
      env: { ...common, ...variables },
      log,
      timeout: (TIMEOUT_MINUTES + 1) * 60_000,
    });
    const json = await readFile(join(home, 'report.json'), 'utf8').catch(() => undefined);
    if (json === undefined) throw new Failure(`the suite ended with ${String(code)}`, `see ${log}`);
    return readReport(json);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** The suites find karmadactl in GOPATH, and write kubeconfigs to the home directory. */
async function commonEnvironment(
  { folder }: BuiltSuite,
  home: string,
): Promise<Record<string, string>> {
  await Promise.all(
    ['.kube', 'go/bin'].map((path) => mkdir(join(home, path), { recursive: true })),
  );
  await symlink(join(folder, 'karmadactl'), join(home, 'go/bin/karmadactl'));
  return { HOME: home, GOPATH: join(home, 'go') };
}
