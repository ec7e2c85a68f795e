import { assemble, type Inputs } from './assemble.ts';
import { besideBuilds } from './beside.ts';
import { checkBuild, ensureBinaries, type BinaryName } from './binaries.ts';
import { findCluster, loadImages, nodeResources, tryKubectl, type Cluster } from './cluster.ts';
import { tearDown } from './down.ts';
import { Failure } from './failure.ts';
import { demoImages, ensureImages, nodeImages, type ImageName } from './images.ts';
import { lock } from './lock.ts';
import { checkMachine, raiseWatchLimit } from './machine.ts';
import { runDirectory } from './paths.ts';
import type { Progress } from './progress.ts';
import { checkName, checkNodes } from './slot.ts';
import { requireStart, startedNodes } from './start-record.ts';
import { ensureTools } from './tools.ts';
import { requireDisk } from './toolchain.ts';

export interface UpOptions {
  name: string;
  /** Images to load in addition to those of the node. */
  images?: readonly ImageName[];
  /** True for IPv4 and IPv6 for the node, Pods and Services. Defaults to IPv4 only. */
  dualStack?: boolean;
  /** Domain of the cluster DNS. Defaults to cluster.local. */
  dnsDomain?: string;
  /** Number of nodes, 1 to 3. A running cluster with more nodes is kept. Defaults to 1. */
  nodes?: number;
  /** Runs beside the builds. If it fails, no further build and no cluster starts. */
  meanwhile?: () => Promise<unknown>;
  progress: Progress;
}

/** Builds and unpacks all required files before the cluster is created. */
async function prepare(
  { images = demoImages, meanwhile, progress }: UpOptions,
  nodes: number,
): Promise<Pick<Inputs, 'binaries' | 'images' | 'tools'>> {
  const needed: BinaryName[] = ['pause', 'etcd', 'coredns', 'kubernetes', 'karmada'];
  await checkBuild(needed);
  // Each further node unpacks the images again.
  await requireDisk({ directory: runDirectory }, 1 + 2 * nodes, 'a cluster');
  const [[tools], binaries] = await besideBuilds(
    () => Promise.all([ensureTools(progress), meanwhile?.()]),
    (signal) => ensureBinaries(needed, progress, signal),
  );
  const files = await ensureImages([...nodeImages, ...images], progress);
  return { binaries, images: files, tools };
}

/**
 * Assembles a cluster. If the machine does not meet the requirements, the cluster is removed. After any other error its
 * logs stay for analysis.
 */
async function assembleOrRemove(
  name: string,
  inputs: Inputs,
  progress: Progress,
): Promise<Cluster> {
  try {
    return await assemble(name, inputs, progress);
  } catch (error) {
    if (error instanceof Failure) await tearDown(name);
    throw error;
  }
}

/**
 * Returns true if all nodes of a running cluster are Ready. Thaws nodes that a test left frozen. A cluster of an aborted
 * run or with a removed node is not healthy, and is recreated.
 */
async function isHealthy(cluster: Cluster): Promise<boolean> {
  const nodes = nodeResources(cluster);
  if (nodes.length < startedNodes(cluster.name)) return false;
  for (const { groups } of cluster.otherNodes) groups.setFrozen(false);
  const ready = ['wait', '--for=condition=Ready', ...nodes, '--timeout=5s'];
  return (await tryKubectl(cluster, ready)).code === 0;
}

/**
 * Starts a cluster, or keeps a healthy running one. Removes the leftovers of an aborted run first.
 * @throws Failure with what to do, or Error that names the incomplete step and its last observation
 */
export async function up(options: UpOptions): Promise<Cluster> {
  const { name, dualStack = false, dnsDomain = 'cluster.local', nodes = 1, progress } = options;
  checkName(name);
  checkNodes(nodes, dualStack);
  await checkMachine();
  await raiseWatchLimit(progress);
  const inputs = { ...(await prepare(options, nodes)), dualStack, dnsDomain, nodes };
  const held = await lock(`cluster:${name}`, () =>
    progress.note(`waiting: another process uses cluster ${name}`),
  );
  try {
    const running = findCluster(name);
    if (running !== undefined && (await isHealthy(running))) {
      requireStart(name, { dualStack, nodes });
      progress.note(`cluster ${name} is already running`);
      await loadImages(running, inputs.images);
      return running;
    }
    await tearDown(name);
    return await assembleOrRemove(name, inputs, progress);
  } finally {
    held.release();
  }
}
