import { readdir, readFile, readlink } from 'node:fs/promises';
import { kubectl, nodePathFile, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { ctr } from '../../tools/embedded-cluster/containerd.ts';
import { inNode } from '../../tools/embedded-cluster/node.ts';
import { operatorNamespace } from '../demo/install.ts';

/** Runs a command on the node with the programs of its container runtime in PATH. */
async function onNode({ name, node }: Cluster, command: readonly string[]): Promise<string> {
  const path = await readFile(nodePathFile(name), 'utf8');
  return run(inNode(node, ['env', `PATH=${path}`, ...command]));
}

/** PID of the operator process in a Pod of its Deployment. */
const processOf = (cluster: Cluster, pod: string): Promise<string> =>
  processIn(cluster, { name: pod, namespace: operatorNamespace });

/** PID of the process of the first container of a Pod. */
export async function processIn(
  cluster: Cluster,
  { name: pod, namespace }: { readonly name: string; readonly namespace: string },
): Promise<string> {
  const shown = 'jsonpath={.status.containerStatuses[0].containerID}';
  const id = await kubectl(cluster, ['get', 'pod', pod, '-n', namespace, '-o', shown]);
  const container = id.replace('containerd://', '');
  const path = await readFile(nodePathFile(cluster.name), 'utf8');
  const tasks = await run(ctr({ node: cluster.node, path }, ['tasks', 'ls']));
  const line = tasks.split('\n').find((task) => container !== '' && task.startsWith(container));
  const [, number] = line?.split(/\s+/) ?? [];
  if (number === undefined) throw new Error(`no process of ${pod} among:\n${tasks}`);
  return number;
}

/** Kills the operator process in a Pod (SIGKILL). */
export async function killOperator(cluster: Cluster, pod: string): Promise<void> {
  process.kill(Number(await processOf(cluster, pod)), 'SIGKILL');
}

/** PID of the pause container, which keeps the network namespace of the Pod when other containers end. */
async function holderOf(cluster: Cluster, pod: string): Promise<string> {
  const link = (id: string): Promise<string> =>
    readlink(`/proc/${id}/ns/net`).catch(() => 'it has ended');
  const wanted = await link(await processOf(cluster, pod));
  for (const id of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const command = await readFile(`/proc/${id}/comm`, 'utf8').catch(() => '');
    if (command === 'pause\n' && (await link(id)) === wanted) return id;
  }
  throw new Error(`no pause container with the network namespace of ${pod}`);
}

/** Port of the probes. Their responses may pass, because the kubelet sends probes from the node. */
const PROBES = '8443';

/**
 * Isolates a Pod: drops its outgoing packets in its network namespace, except responses to its probes.
 * @returns function that removes the isolation
 */
export async function cutOff(cluster: Cluster, pod: string): Promise<() => Promise<void>> {
  const namespace = ['nsenter', `--target=${await holderOf(cluster, pod)}`, '--net', '--'];
  const iptables = (...args: string[]): Promise<string> =>
    onNode(cluster, [...namespace, 'iptables', ...args]);
  await iptables('-A', 'OUTPUT', '-o', 'eth0', '-p', 'tcp', '--sport', PROBES, '-j', 'ACCEPT');
  await iptables('-A', 'OUTPUT', '-o', 'eth0', '-j', 'DROP');
  return async () => {
    await iptables('-F', 'OUTPUT');
  };
}
