import { Command } from 'commander';
import { down } from '../cluster/down.ts';
import { Failure } from '../cluster/failure.ts';
import { createProgress, duration } from '../cluster/progress.ts';
import { follow } from './follow.ts';
import { applySample, installOperator, sampleFile } from './install.ts';
import { removeDemo } from './remove.ts';
import { createScreen } from './screen.ts';
import {
  demoCluster,
  embeddedTarget,
  foreignTarget,
  type DemoOptions,
  type Target,
} from './target.ts';
import { usage } from './usage.ts';

const progress = createProgress(process.stdout);
const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function chooseTarget(options: DemoOptions): Promise<{ target: Target; image: string }> {
  const { kubeconfig, image } = options;
  if (kubeconfig === undefined) {
    if (image !== undefined)
      throw new Failure('--image is for --kubeconfig', 'leave it out: the demo builds the image');
    return embeddedTarget(progress);
  }
  if (image === undefined) {
    throw new Failure(
      'a cluster of yours cannot get at an image that is only on this machine',
      'push one (npm run image -- FILE.tar writes it) and name it with --image REF',
    );
  }
  const target = await foreignTarget(options, 'installs the operator and a Karmada into', progress);
  return { target, image };
}

async function show(target: Target, image: string): Promise<void> {
  await progress.step('install the operator (helm)', () => installOperator(target, image));
  const { metadata } = await progress.step(`apply ${sampleFile}`, () => applySample(target));
  const { ready, message, elapsedMs } = await follow(
    target,
    metadata,
    createScreen(process.stdout),
  );
  const took = duration(elapsedMs);
  if (ready) print(`\nKarmada ${metadata.name} is ready after ${took}.\n`);
  else print(`\nThe demo ends here after ${took}: ${message}.\n`);
  if (ready) print(usage(target, metadata));
  print(
    `Remove everything: npm run demo -- --down${target.bin === undefined ? ` --kubeconfig ${target.kubeconfig}` : ''}`,
  );
}

async function remove(options: DemoOptions): Promise<void> {
  if (options.kubeconfig === undefined) return down(demoCluster, progress);
  const target = await foreignTarget(
    options,
    "removes the demo's operator and Karmada from",
    progress,
  );
  try {
    await removeDemo(target, progress);
  } finally {
    await target.client.close();
  }
}

async function demo(options: DemoOptions & { down: boolean }): Promise<void> {
  if (options.down) return remove(options);
  const { target, image } = await chooseTarget(options);
  try {
    await show(target, image);
  } finally {
    await target.client.close();
  }
}

const program = new Command('npm run demo --')
  .description('Shows the operator at work: a cluster, the operator, a Karmada control plane.')
  .option('--kubeconfig <file>', 'use this cluster instead of an embedded one')
  .option('--image <reference>', "the operator's image, where that cluster can pull it")
  .option('--yes', 'write into the cluster of --kubeconfig without asking', false)
  .option('--down', 'remove everything that the demo made', false)
  .action(demo);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
