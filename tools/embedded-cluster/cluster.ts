import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { attempt, run, type CommandResult } from './command.ts';
import { ctr } from './containerd.ts';
import { Failure } from './failure.ts';
import { kubeconfigPath } from './kubeconfig.ts';
import { besideNode, findNode, type Node } from './node.ts';
import { clusterDirectory, maxNodes } from './slot.ts';

/** A running cluster. */
export interface Cluster {
  name: string;
  /** The first node, which also runs the control plane. */
  node: Node;
  /** The other nodes. Tests can freeze and remove them. */
  otherNodes: readonly Node[];
  kubeconfig: string;
  /** Directory with kubectl, helm, karmadactl and the kubectl plugin. */
  bin: string;
}

/** Returns the running cluster of that name, or undefined if it has no running process. */
export function findCluster(name: string): Cluster | undefined {
  const [node, ...otherNodes] = Array.from({ length: maxNodes }, (_, index) =>
    findNode(name, index + 1),
  );
  if (node === undefined) return undefined;
  return clusterOf(
    name,
    node,
    otherNodes.filter((other) => other !== undefined),
  );
}

/** Returns the cluster of that name with these nodes. */
export const clusterOf = (name: string, node: Node, otherNodes: readonly Node[]): Cluster => ({
  name,
  node,
  otherNodes,
  kubeconfig: kubeconfigPath(name),
  bin: join(clusterDirectory(name), 'bin'),
});

/** Returns the Node objects of the running nodes as arguments of kubectl. */
export const nodeResources = ({ node, otherNodes }: Cluster): string[] =>
  [node, ...otherNodes].map(({ name }) => `node/${name}`);

/** Like `findCluster`, but throws Failure if the cluster is not running. */
export function requireCluster(name: string): Cluster {
  const cluster = findCluster(name);
  if (cluster !== undefined) return cluster;
  throw new Failure(`cluster ${name} is not running`, `npm run cluster -- up ${name}`);
}

const kubectlCommand = ({ bin, node, kubeconfig }: Cluster, args: readonly string[]): string[] =>
  besideNode(node, [join(bin, 'kubectl'), '--kubeconfig', kubeconfig, ...args]);

/** Runs kubectl against the cluster as its administrator. */
export async function tryKubectl(
  cluster: Cluster,
  args: readonly string[],
  input?: string,
): Promise<CommandResult> {
  return attempt(kubectlCommand(cluster, args), { input });
}

/** Like `tryKubectl`, but returns the output and throws if the exit code is not 0. */
export async function kubectl(
  cluster: Cluster,
  args: readonly string[],
  input?: string,
): Promise<string> {
  return run(kubectlCommand(cluster, args), { input });
}

/** Creates symbolic links to the commands for users in the `bin` folder of the cluster. */
export async function linkCommands(
  bin: string,
  commands: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(bin, { recursive: true });
  for (const [name, file] of Object.entries(commands)) {
    await rm(join(bin, name), { force: true });
    await symlink(file, join(bin, name));
  }
}

/** File with the PATH of the node programs, written when the cluster started. */
export const nodePathFile = (name: string): string => join(clusterDirectory(name), 'path');

const loadedFile = (node: Node): string => join(node.directory, 'loaded-images');

async function lines(file: string): Promise<string[]> {
  if (!existsSync(file)) return [];
  return (await readFile(file, 'utf8')).split('\n').filter(Boolean);
}

/** Loads docker-archives that are not loaded yet into the container runtimes of all nodes, two at a time. */
export async function loadImages(
  { name, node, otherNodes }: Pick<Cluster, 'name' | 'node' | 'otherNodes'>,
  files: readonly string[],
): Promise<void> {
  const path = await readFile(nodePathFile(name), 'utf8');
  const waiting: { file: string; target: Node }[] = [];
  for (const target of [node, ...otherNodes]) {
    const loaded = new Set(await lines(loadedFile(target)));
    for (const file of files) if (!loaded.has(file)) waiting.push({ file, target });
  }
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { file, target } = next;
      const load = ['images', 'import', '--all-platforms', file];
      await run(ctr({ node: target, path }, load));
      await appendFile(loadedFile(target), `${file}\n`);
    }
  };
  await Promise.all([worker(), worker()]);
}
