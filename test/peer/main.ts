import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { down } from '../embedded-cluster/down.ts';
import { checkout } from '../embedded-cluster/paths.ts';
import { createProgress } from '../embedded-cluster/progress.ts';
import { karmadaReleases } from '../embedded-cluster/releases.ts';
import { up } from '../embedded-cluster/up.ts';
import { installOperator } from '../harness/operator.ts';
import { operatorSuite, type PeerSuite } from './alterations.ts';
import { buildSuite } from './build.ts';
import { resultText } from './report.ts';
import { runSuite } from './run.ts';

const CLUSTER = 'peer';
const RELEASES = [karmadaReleases.current, karmadaReleases.previous];
const progress = createProgress(process.stderr);

interface Choice {
  readonly release?: string;
  readonly buildOnly: boolean;
  readonly keep: boolean;
}

interface Built {
  readonly release: string;
  readonly suite: PeerSuite;
  readonly binary: string;
}

/** @returns whether all specs passed */
async function runAll(built: readonly Built[]): Promise<boolean> {
  const older = ['karmada-previous'] as const;
  const images = ['busybox', 'etcd', 'kubernetes', 'karmada', ...older] as const;
  const cluster = await up({ name: CLUSTER, images, progress });
  await progress.step('install the operator', () => installOperator(cluster));
  const logs = join(checkout, 'artifacts', 'peer');
  await mkdir(logs, { recursive: true });
  let isPassed = true;
  for (const { release, suite, binary } of built) {
    const title = `suite ${suite.name} of Karmada ${release}`;
    const log = join(logs, `${suite.name}-${release}-${String(Date.now())}.log`);
    const result = await progress.step(title, () => runSuite(cluster, binary, suite, log));
    process.stdout.write(`${resultText(release, suite, result)}\nlog: ${log}\n\n`);
    if (result.failed.length > 0 || result.passed.length === 0) isPassed = false;
  }
  return isPassed;
}

async function main({ release, buildOnly, keep }: Choice): Promise<void> {
  const built: Built[] = [];
  for (const one of release === undefined ? RELEASES : [release]) {
    const suite = operatorSuite(one);
    const build = (): Promise<string> => buildSuite(one, suite);
    const binary = await progress.step(`build suite ${suite.name} of Karmada ${one}`, build);
    built.push({ release: one, suite, binary });
  }
  if (buildOnly) return;
  try {
    if (!(await runAll(built))) process.exitCode = 1;
  } finally {
    if (!keep) await down(CLUSTER, progress);
  }
}

const program = new Command('npm run test:peer --')
  .description(
    'Run the e2e suites of the Go operator against this operator, on an embedded cluster.',
  )
  .addOption(new Option('--release <release>', 'only this Karmada release').choices(RELEASES))
  .option('--build-only', 'build the suites, and start no cluster', false)
  .option('--keep', 'keep the cluster', false)
  .action(main);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
