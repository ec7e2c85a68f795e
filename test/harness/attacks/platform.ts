import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Cluster } from '../../../tools/embedded-cluster/cluster.ts';
import { down } from '../../../tools/embedded-cluster/down.ts';
import { createProgress } from '../../../tools/embedded-cluster/progress.ts';
import { addressesOf, slotOf } from '../../../tools/embedded-cluster/slot.ts';
import { apply } from '../cluster.ts';
import { startCluster } from '../remote-host-scene.ts';
import { kubeconfigWith, grantHostAccess } from '../remote-host.ts';

/** What the tenants of the attacks use, besides their objects. */
export interface Platform {
  readonly cluster: Cluster;
  /** Kubeconfig of a host cluster in which the operator has the documented permissions. */
  readonly kubeconfig: string;
  /** URL of a server of the tenant. */
  readonly server: string;
  /** Number of connections to the server of the tenant. */
  connections(): number;
  stop(): Promise<void>;
}

/** @param foreign namespace that the host cluster has, without the consent of its owner */
export async function startPlatform(cluster: Cluster, foreign: string): Promise<Platform> {
  const host = await startCluster('remote');
  await apply(host, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: foreign } });
  const kubeconfig = await kubeconfigWith(host, await grantHostAccess(host));
  let connections = 0;
  const { gateway } = addressesOf(slotOf(cluster.name) ?? NaN);
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  listener.listen(0, gateway);
  await once(listener, 'listening');
  const { port } = listener.address() as { port: number };
  return {
    cluster,
    kubeconfig,
    server: `https://${gateway}:${String(port)}`,
    connections: () => connections,
    async stop() {
      listener.close();
      await down(host.name, createProgress(process.stderr));
    },
  };
}
