/** TCP connections from the network namespace of a Pod, whose image need not contain a program for it. */
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { inNode } from '../../tools/embedded-cluster/node.ts';
import { processIn } from './operator-process.ts';

export interface PodName {
  readonly name: string;
  readonly namespace: string;
}

interface Target {
  readonly host: string;
  readonly port: number;
}

/** Connects to all targets at the same time, and prints whether each connection was established. */
const SCRIPT = `
  const targets = JSON.parse(require('fs').readFileSync(0));
  const connects = ({ host, port }) => new Promise((resolve) => {
    const socket = require('net').connect({ host, port });
    const end = (open) => { socket.destroy(); resolve(open); };
    socket.setTimeout(2000, () => end(false));
    socket.once('error', () => end(false));
    socket.once('connect', () => end(true));
  });
  Promise.all(targets.map(connects)).then((all) => console.log(JSON.stringify(all)));`;

/** Whether a connection from the Pod to each target is established within two seconds. */
export async function connectionsFrom(
  cluster: Cluster,
  pod: PodName,
  targets: readonly Target[],
): Promise<readonly boolean[]> {
  const namespace = ['nsenter', `--target=${await processIn(cluster, pod)}`, '--net', '--'];
  const command = inNode(cluster.node, [...namespace, process.execPath, '-e', SCRIPT]);
  const output = await run(command, { input: JSON.stringify(targets), timeout: 30_000 });
  return JSON.parse(output) as readonly boolean[];
}
