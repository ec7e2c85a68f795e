/** Enforces NetworkPolicies on the node of a cluster, with the controller of kube-router. */
import { readFile } from 'node:fs/promises';
import { ensureBinaries } from '../../tools/embedded-cluster/binaries.ts';
import { nodePathFile, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { attempt } from '../../tools/embedded-cluster/command.ts';
import { inNode, startInNode } from '../../tools/embedded-cluster/node.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { addressesOf, slotOf } from '../../tools/embedded-cluster/slot.ts';

const PROGRAM = 'kube-router';

/** Starts the engine. Its rules stay in the node, so remove the cluster afterwards. */
export async function startPolicyEngine(cluster: Cluster): Promise<void> {
  const { [PROGRAM]: program } = await ensureBinaries([PROGRAM]);
  const { services } = addressesOf(slotOf(cluster.name) ?? NaN);
  const path = await readFile(nodePathFile(cluster.name), 'utf8');
  const env = { PATH: path, NODE_NAME: cluster.node.name };
  startInNode(cluster.node, PROGRAM, [program, cluster.kubeconfig, services], env);
  await poll('the policy engine has created its chains', async (seen) => {
    const list = ['env', `PATH=${path}`, 'iptables', '-S', 'KUBE-ROUTER-FORWARD'];
    const { code, stderr } = await attempt(inNode(cluster.node, list));
    const { stdout } = await tryKubectl(cluster, ['get', 'networkpolicies', '-A', '-o', 'name']);
    seen(`${stderr}\n${stdout}`);
    return code === 0 ? true : undefined;
  });
}
