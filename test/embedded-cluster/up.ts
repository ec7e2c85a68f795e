import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterAddons } from './addons.ts';
import { checkBuild, ensureBinaries, type BinaryName } from './binaries.ts';
import { writeCertificates } from './certificates.ts';
import { controlGroups } from './cgroups.ts';
import {
  findCluster,
  kubectl,
  linkCommands,
  loadImages,
  nodePathFile,
  tryKubectl,
  type Cluster,
} from './cluster.ts';
import { attempt } from './command.ts';
import { nodeName, writeConfiguration, type ClusterSettings } from './configuration.ts';
import { tearDown } from './down.ts';
import { Failure } from './failure.ts';
import { demoImages, ensureImages, nodeImages, type ImageName } from './images.ts';
import { kubeconfigPath, writeKubeconfig } from './kubeconfig.ts';
import { lock } from './lock.ts';
import { checkMachine } from './machine.ts';
import { linkNeighbours } from './other-clusters.ts';
import { createNode, inNode, startInNode, type Node } from './node.ts';
import { runDirectory } from './paths.ts';
import { poll } from './poll.ts';
import type { Progress } from './progress.ts';
import { programCommands, type ProgramName } from './programs.ts';
import { checkName, claimSlot, clusterDirectory } from './slot.ts';
import { ensureTools, toolPath, type Tools } from './tools.ts';
import { requireDisk } from './toolchain.ts';

export interface UpOptions {
  name: string;
  /** Images to load in addition to those of the node. */
  images?: readonly ImageName[];
  /** True for IPv4 and IPv6 for the node, Pods and Services. Defaults to IPv4 only. */
  dualStack?: boolean;
  /** Domain of the cluster DNS. Defaults to cluster.local. */
  dnsDomain?: string;
  progress: Progress;
}

interface Inputs {
  binaries: Record<BinaryName, string>;
  images: string[];
  tools: Tools;
  dualStack: boolean;
  dnsDomain: string;
}

/** Builds and unpacks all required files before the cluster is created. */
async function prepare(
  images: readonly ImageName[],
  progress: Progress,
): Promise<Omit<Inputs, 'dualStack' | 'dnsDomain'>> {
  const needed: BinaryName[] = ['pause', 'etcd', 'coredns', 'kubernetes', 'helm', 'karmada'];
  await checkBuild(needed);
  await requireDisk({ directory: runDirectory }, 3, 'a cluster');
  const tools = await ensureTools(progress);
  const binaries = (await ensureBinaries(needed, progress)) as Record<BinaryName, string>;
  const files = await ensureImages([...nodeImages, ...images], progress);
  return { binaries, images: files, tools };
}

/** Returns the iptables variant of the kernel: nft on current kernels, legacy on kernels without nf_tables. */
async function iptablesVariant(node: Node, tools: Tools): Promise<'nft' | 'legacy'> {
  const seen: string[] = [];
  for (const variant of ['nft', 'legacy'] as const) {
    const list = ['env', `PATH=${toolPath(tools, variant)}`, 'iptables', '-t', 'nat', '-L', '-n'];
    const result = await attempt(inNode(node, list));
    if (result.code === 0) return variant;
    seen.push(result.stderr.trim().split('\n').at(-1) ?? '');
  }
  throw new Failure(
    `iptables works neither with nf_tables (${seen[0] ?? ''}) nor without (${seen[1] ?? ''})`,
    'load or build in nf_tables with nft_compat, or ip_tables with iptable_nat',
  );
}

async function startControlPlane(
  start: (name: ProgramName) => void,
  cluster: Cluster,
): Promise<void> {
  start('etcd');
  start('kube-apiserver');
  await poll('the API server is ready', async (seen) => {
    const result = await tryKubectl(cluster, ['get', '--raw=/readyz']);
    seen(result.stderr.trim());
    return result.code === 0 ? true : undefined;
  });
  for (const name of [
    'kube-controller-manager',
    'kube-scheduler',
    'kube-proxy',
    'local-path-provisioner',
  ] as const) {
    start(name);
  }
}

async function startRuntime(
  start: (name: ProgramName) => void,
  node: Node,
  path: string,
): Promise<void> {
  start('containerd');
  const version = ['ctr', '--address=/run/containerd/containerd.sock', 'version'];
  await poll('containerd is ready', async (seen) => {
    const result = await attempt(inNode(node, ['env', `PATH=${path}`, ...version]));
    seen(result.stderr.trim());
    return result.code === 0 ? true : undefined;
  });
}

async function awaitReady(cluster: Cluster): Promise<void> {
  const node = `node/${nodeName(cluster.name)}`;
  await poll('the node is registered', async (seen) => {
    const result = await tryKubectl(cluster, ['get', node]);
    seen(result.stderr.trim());
    return result.code === 0 ? true : undefined;
  });
  await kubectl(cluster, ['wait', '--for=condition=Ready', node, '--timeout=60s']);
  const rollout = ['rollout', 'status', 'deployment/coredns', '--timeout=60s'];
  await kubectl(cluster, ['--namespace=kube-system', ...rollout]);
}

async function writeFiles(settings: ClusterSettings): Promise<void> {
  await writeCertificates(join(settings.directory, 'pki'), settings);
  await writeKubeconfig(settings.name, `https://${settings.addresses.node}:6443`);
  await writeConfiguration(settings);
}

async function assemble(name: string, inputs: Inputs, progress: Progress): Promise<Cluster> {
  const { binaries, tools, dualStack, dnsDomain } = inputs;
  const addresses = await claimSlot(name);
  const directory = clusterDirectory(name);
  const groups = controlGroups(name);
  const settings = {
    name,
    directory,
    addresses,
    dualStack,
    dnsDomain,
    cgroupRoot: groups.kubeletRoot,
    cniPlugins: tools.cni,
  };
  const node = await progress.step('namespaces and links', async () => {
    const made = await createNode(directory, groups, {
      pause: binaries.pause,
      addresses,
      dualStack,
    });
    await linkNeighbours(name, made, addresses);
    return made;
  });
  const path = toolPath(tools, await iptablesVariant(node, tools));
  const cluster = { name, node, kubeconfig: kubeconfigPath(name), bin: join(directory, 'bin') };
  await progress.step('certificates and configuration', async () => {
    await writeFiles(settings);
    await writeFile(nodePathFile(name), path);
    await writeFile(familiesFile(name), dualStack ? 'dual-stack' : 'ipv4');
    const { kubernetes, helm, karmada } = binaries;
    await linkCommands(cluster.bin, { kubectl: kubernetes, helm, karmadactl: karmada });
  });
  const commands = programCommands(settings, binaries);
  const start = (program: ProgramName): void =>
    startInNode(node, program, commands[program], { PATH: path });
  await Promise.all([
    progress.step('control plane', () => startControlPlane(start, cluster)),
    progress.step('container runtime', () => startRuntime(start, node, path)),
  ]);
  start('kubelet');
  const manifests = {
    apiVersion: 'v1',
    kind: 'List',
    items: clusterAddons(addresses.dns, dnsDomain),
  };
  await Promise.all([
    progress.step('images', () => loadImages(cluster, inputs.images)),
    kubectl(cluster, ['apply', '--server-side', '-f', '-'], JSON.stringify(manifests)),
  ]);
  await progress.step('node and cluster DNS ready', () => awaitReady(cluster));
  return cluster;
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

const familiesFile = (name: string): string => join(clusterDirectory(name), 'families');

/** @throws Failure if IPv6 is requested for a running cluster without IPv6 */
function requireFamilies(name: string, dualStack: boolean): void {
  if (!dualStack || readFileSync(familiesFile(name), 'utf8') === 'dual-stack') return;
  throw new Failure(
    `cluster ${name} is running without IPv6`,
    `remove it first: npm run cluster -- down ${name}`,
  );
}

/** Returns true if the node of a running cluster is Ready. A cluster of an aborted run is not, and is recreated. */
async function isHealthy(cluster: Cluster): Promise<boolean> {
  const node = `node/${nodeName(cluster.name)}`;
  const result = await tryKubectl(cluster, ['wait', '--for=condition=Ready', node, '--timeout=5s']);
  return result.code === 0;
}

/**
 * Starts a cluster, or keeps a healthy running one. Removes the leftovers of an aborted run first.
 * @throws Failure with what to do, or Error that names the incomplete step and its last observation
 */
export async function up(options: UpOptions): Promise<Cluster> {
  const { name, images = demoImages, dualStack = false, progress } = options;
  const { dnsDomain = 'cluster.local' } = options;
  checkName(name);
  await checkMachine();
  const inputs = { ...(await prepare(images, progress)), dualStack, dnsDomain };
  const held = await lock(`cluster:${name}`, () =>
    progress.note(`waiting: another process uses cluster ${name}`),
  );
  try {
    const running = findCluster(name);
    if (running !== undefined && (await isHealthy(running))) {
      requireFamilies(name, dualStack);
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
