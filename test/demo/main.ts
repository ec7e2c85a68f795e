import { Command } from 'commander';
import type { Karmada } from '../../src/api/karmada.ts';
import { down } from '../../tools/embedded-cluster/down.ts';
import { createProgress, duration } from '../../tools/embedded-cluster/progress.ts';
import { clusterNames } from '../../tools/embedded-cluster/slot.ts';
import { follow } from './follow.ts';
import { startMembers } from './members.ts';
import { applyAll, karmadaIn } from './install.ts';
import { checkOptions, type DemoOptions } from './options.ts';
import { installDemo } from './release.ts';
import { removeDemo } from './remove.ts';
import { chooseScene, type Scene } from './scene.ts';
import { createScreen } from './screen.ts';
import { demoCluster, foreignTarget, memberClusters, remoteCluster } from './target.ts';

const progress = createProgress(process.stdout);
const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function apply({ target, progress: steps, sample, prepare }: Scene): Promise<Karmada> {
  const objects = await prepare();
  await steps.step(`apply ${sample}`, () => applyAll(target, objects));
  return karmadaIn(objects);
}

async function show(scene: Scene): Promise<void> {
  const { target, image, progress: steps } = scene;
  await installDemo(target, image, steps);
  const { metadata } = await apply(scene);
  const { ready, message, elapsedMs } = await follow(
    target,
    metadata,
    createScreen(process.stdout),
  );
  const took = duration(elapsedMs);
  if (ready) print(`\nKarmada ${metadata.name} is ready after ${took}.\n`);
  else print(`\nKarmada ${metadata.name} is not ready after ${took}: ${message}.\n`);
  if (ready) print(scene.usage(metadata));
  print(
    `Remove everything: npm run demo -- --down${target.bin === undefined ? ` --kubeconfig ${target.kubeconfig}` : ''}`,
  );
}

/** Removes the clusters of the demo. All except the first one exist only after a run with `--remote` or `--members`. */
async function takeDown(): Promise<void> {
  await down(demoCluster, progress);
  for (const name of [remoteCluster, ...Object.values(memberClusters)])
    if (clusterNames().includes(name)) await down(name, progress);
}

async function remove(options: DemoOptions): Promise<void> {
  if (options.kubeconfig === undefined) return takeDown();
  const target = await foreignTarget(
    options,
    'removes the operator and the Karmada of the demo from',
    progress,
  );
  try {
    await removeDemo(target, progress);
  } finally {
    await target.client.close();
  }
}

async function demo(options: DemoOptions): Promise<void> {
  checkOptions(options);
  if (options.down) return remove(options);
  if (options.members) return startMembers(process.env['INIT_CWD'] ?? process.cwd(), progress);
  const scene = await chooseScene(options, progress);
  try {
    await show(scene);
  } finally {
    await scene.target.client.close();
  }
}

const program = new Command('npm run demo --')
  .description('Run a demo: a cluster, the operator, and a Karmada control plane.')
  .option(
    '--remote',
    'use two embedded clusters: one for the operator, one for the control plane',
    false,
  )
  .option(
    '--members',
    'start two more embedded clusters, and write member1.kubeconfig and member2.kubeconfig',
    false,
  )
  .option('--kubeconfig <file>', 'use this cluster instead of an embedded one')
  .option('--image <reference>', 'operator image that the cluster of --kubeconfig can pull')
  .option('--yes', 'change the cluster of --kubeconfig without confirmation', false)
  .option('--down', 'remove everything that the demo created', false)
  .action(demo);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
