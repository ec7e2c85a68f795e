import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { down } from '../../tools/embedded-cluster/down.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { karmadaReleases } from '../../tools/embedded-cluster/releases.ts';
import { up } from '../../tools/embedded-cluster/up.ts';
import type { ComponentFindings } from '../harness/component-audit/follow-components.ts';
import { installOperator } from '../harness/operator.ts';
import {
  baseEnvironment,
  installControlPlane,
  removeControlPlane,
  startAudit,
} from './base-environment.ts';
import { buildSuite, type BuiltSuite } from './build.ts';
import { operatorEnvironment } from './operator-environment.ts';
import { findingsText, resultText, unusedEntries, type PeerResult } from './report.ts';
import { runSuite, type SuiteRun } from './run.ts';
import { loadStandIns } from './stand-ins.ts';
import { baseSuite, INTERPRETER } from './suites/base.ts';
import { operatorSuite } from './suites/operator.ts';
import type { PeerSuite } from './suites/suite.ts';

const CLUSTER = 'peer';
/** Second member cluster of the suite `base`; the first one is the host cluster. */
const MEMBER_CLUSTER = 'peer-2';
const { current, previous } = karmadaReleases;
const progress = createProgress(process.stderr);

interface Choice {
  readonly suite?: PeerSuite['name'];
  readonly release?: string;
  readonly buildOnly: boolean;
  readonly keep: boolean;
}

interface Task {
  readonly release: string;
  readonly suite: PeerSuite;
  readonly built: BuiltSuite;
}

/** The suite `base` takes long, so only the current release runs by default. */
function chosen({ suite, release }: Choice): Omit<Task, 'built'>[] {
  const releases = (usual: readonly string[]): readonly string[] =>
    release === undefined ? usual : [release];
  return [
    ...releases([current, previous]).map((one) => ({ release: one, suite: operatorSuite(one) })),
    ...releases([current]).map((one) => ({ release: one, suite: baseSuite() })),
  ].filter(({ suite: { name } }) => suite === undefined || suite === name);
}

interface Outcome {
  readonly result: PeerResult;
  /** What the components of the control plane were allowed to do. The suite `operator` has no control plane of its own. */
  readonly findings?: ComponentFindings;
}

async function runBase(run: SuiteRun, release: string, keep: boolean): Promise<Outcome> {
  const { cluster: host, built } = run;
  const member = await up({ name: MEMBER_CLUSTER, images: [], progress });
  for (const cluster of [host, member]) await loadStandIns(cluster, progress);
  const members = { member1: host, member2: member };
  const scene = { host, members, release, interpreter: join(built.folder, INTERPRETER) };
  await removeControlPlane(scene);
  const audit = await startAudit(host);
  try {
    await progress.step('install a control plane with two member clusters', () =>
      installControlPlane(scene),
    );
    const result = await runSuite(run, (home) => baseEnvironment(host, home));
    const findings = await audit.end();
    if (!keep) await removeControlPlane(scene);
    return { result, findings };
  } finally {
    // Without it, its loop would keep the process alive.
    await audit.end();
  }
}

/** @returns whether all specs passed */
async function runTask(cluster: Cluster, task: Task, keep: boolean): Promise<boolean> {
  const { release, suite, built } = task;
  const logs = join(checkout, 'artifacts', 'peer');
  await mkdir(logs, { recursive: true });
  const log = join(logs, `${suite.name}-${release}-${String(Date.now())}.log`);
  const run = { cluster, suite, built, log };
  const { result, findings } = await progress.step(
    `suite ${suite.name} of Karmada ${release}`,
    async (): Promise<Outcome> =>
      suite.name === 'base'
        ? runBase(run, release, keep)
        : { result: await runSuite(run, (home) => operatorEnvironment(cluster, home)) },
  );
  process.stdout.write(`${resultText(release, suite, result)}\nlog: ${log}\n\n`);
  const unused = unusedEntries(suite, result);
  const faults = [
    ...unused.map(({ reason }) => `left out no spec: ${reason}`),
    ...(findings ? findingsText(findings) : []),
  ];
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  return result.failed.length === 0 && result.passed.length > 0 && faults.length === 0;
}

async function runAll(tasks: readonly Task[], keep: boolean): Promise<void> {
  const images = ['busybox', 'etcd', 'kubernetes', 'karmada', 'karmada-previous'] as const;
  const cluster = await up({ name: CLUSTER, images, progress });
  await progress.step('install the operator', () => installOperator(cluster));
  for (const task of tasks) if (!(await runTask(cluster, task, keep))) process.exitCode = 1;
}

async function main(choice: Choice): Promise<void> {
  const { buildOnly, keep } = choice;
  const tasks: Task[] = [];
  for (const { release, suite } of chosen(choice)) {
    const build = (): Promise<BuiltSuite> => buildSuite(release, suite);
    const built = await progress.step(`build suite ${suite.name} of Karmada ${release}`, build);
    tasks.push({ release, suite, built });
  }
  if (buildOnly) return;
  try {
    await runAll(tasks, keep);
  } finally {
    if (!keep) for (const name of [CLUSTER, MEMBER_CLUSTER]) await down(name, progress);
  }
}

const program = new Command('npm run test:peer --')
  .description(
    'Run e2e suites of Karmada against this operator and its control planes, on embedded clusters.',
  )
  .addOption(new Option('--suite <suite>', 'only this suite').choices(['base', 'operator']))
  .addOption(
    new Option('--release <release>', 'only this Karmada release').choices([current, previous]),
  )
  .option('--build-only', 'build the suites, and start no cluster', false)
  .option('--keep', 'keep the clusters and the control plane', false)
  .action(main);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
