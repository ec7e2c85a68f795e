import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterAddons } from './addons.ts';
import type { BinaryName } from './binaries.ts';
import { writeCertificates } from './certificates.ts';
import {
  clusterOf,
  kubectl,
  linkCommands,
  loadImages,
  nodePathFile,
  nodeResources,
  tryKubectl,
  type Cluster,
} from './cluster.ts';
import { attempt } from './command.ts';
import { ctr } from './containerd.ts';
import { nodeSettings, writeConfiguration, type ClusterSettings } from './configuration.ts';
import { Failure } from './failure.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { addMasquerade, createNodes } from './node-network.ts';
import { inNode, startInNode, type Node } from './node.ts';
import { poll } from './poll.ts';
import type { Progress } from './progress.ts';
import {
  nodeProgramCommands,
  programCommands,
  type NodeProgramName,
  type ProgramName,
} from './programs.ts';
import { claimSlot, clusterDirectory } from './slot.ts';
import { writeScripts } from './scripts-on-path.ts';
import { recordStart } from './start-record.ts';
import { toolPath, type Tools } from './tools.ts';

/** Built and unpacked files of a cluster, and its options. */
export interface Inputs {
  binaries: Record<BinaryName, string>;
  images: string[];
  tools: Tools;
  dualStack: boolean;
  dnsDomain: string;
  nodes: number;
}

/** Executables, and the PATH of the node programs. */
interface Files {
  binaries: Inputs['binaries'];
  path: string;
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
  start: (name: NodeProgramName) => void,
  node: Node,
  path: string,
): Promise<void> {
  start('containerd');
  await poll('containerd is ready', async (seen) => {
    const result = await attempt(ctr({ node, path }, ['version']));
    seen(result.stderr.trim());
    return result.code === 0 ? true : undefined;
  });
}

async function awaitReady(cluster: Cluster): Promise<void> {
  const nodes = nodeResources(cluster);
  await poll('the nodes are registered', async (seen) => {
    const result = await tryKubectl(cluster, ['get', ...nodes]);
    seen(result.stderr.trim());
    return result.code === 0 ? true : undefined;
  });
  await kubectl(cluster, ['wait', '--for=condition=Ready', ...nodes, '--timeout=60s']);
  const rollout = ['rollout', 'status', 'deployment/coredns', '--timeout=60s'];
  await kubectl(cluster, ['--namespace=kube-system', ...rollout]);
}

async function writeFiles(
  settings: ClusterSettings,
  { bin }: Cluster,
  { binaries, path }: Files,
): Promise<void> {
  const { name, addresses } = settings;
  await writeCertificates(join(settings.directory, 'pki'), settings);
  await writeKubeconfig(name, `https://${addresses.node}:6443`);
  await writeConfiguration(settings);
  await writeFile(nodePathFile(name), path);
  await recordStart(settings);
  await linkCommands(bin, { kubectl: binaries.kubernetes, karmadactl: binaries.karmada });
  await writeScripts(bin);
}

/** Starts the container runtime of a node other than the first. The returned function starts its other programs. */
async function startOtherRuntime(
  settings: ClusterSettings,
  node: Node,
  { binaries, path }: Files,
): Promise<() => void> {
  const own = nodeSettings(settings, node.number);
  const commands = nodeProgramCommands(settings, own, binaries);
  const start = (program: NodeProgramName): void =>
    startInNode(node, program, commands[program], { PATH: path });
  await addMasquerade(settings, node, path);
  await startRuntime(start, node, path);
  return () => {
    start('kube-proxy');
    start('kubelet');
  };
}

/** Starts the control plane, and the programs of all nodes. */
async function startPrograms(
  settings: ClusterSettings,
  cluster: Cluster,
  files: Files,
  progress: Progress,
): Promise<void> {
  const { node, otherNodes } = cluster;
  const commands = programCommands(settings, files.binaries);
  const start = (program: ProgramName): void =>
    startInNode(node, program, commands[program], { PATH: files.path });
  const startRuntimes = async (): Promise<(() => void)[]> => {
    await addMasquerade(settings, node, files.path);
    await startRuntime(start, node, files.path);
    return Promise.all(otherNodes.map((other) => startOtherRuntime(settings, other, files)));
  };
  const [, startOthers] = await Promise.all([
    progress.step('control plane', () => startControlPlane(start, cluster)),
    progress.step('container runtime', startRuntimes),
  ]);
  start('kubelet');
  for (const startOther of startOthers) startOther();
}

/** Creates the nodes of a cluster and starts all programs. Returns when the nodes and the cluster DNS are ready. */
export async function assemble(name: string, inputs: Inputs, progress: Progress): Promise<Cluster> {
  const { binaries, tools, dualStack, dnsDomain, nodes } = inputs;
  const addresses = await claimSlot(name);
  const directory = clusterDirectory(name);
  const cniPlugins = tools.cni;
  const settings = { name, directory, addresses, dualStack, dnsDomain, nodes, cniPlugins };
  const [node, ...otherNodes] = await progress.step('namespaces and links', () =>
    createNodes(settings, binaries.pause),
  );
  const files = { binaries, path: toolPath(tools, await iptablesVariant(node, tools)) };
  const cluster = clusterOf(name, node, otherNodes);
  await progress.step('certificates and configuration', () => writeFiles(settings, cluster, files));
  await startPrograms(settings, cluster, files, progress);
  const manifests = {
    apiVersion: 'v1',
    kind: 'List',
    items: clusterAddons(addresses.dns, dnsDomain, node.name),
  };
  await Promise.all([
    progress.step('images', () => loadImages(cluster, inputs.images)),
    kubectl(cluster, ['apply', '--server-side', '-f', '-'], JSON.stringify(manifests)),
  ]);
  await progress.step('node and cluster DNS ready', () => awaitReady(cluster));
  return cluster;
}
