import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import type { Cluster } from '../../../tools/embedded-cluster/cluster.ts';
import { operatorNamespace, release } from '../../demo/install.ts';
import { clientOf, withClient } from '../client.ts';
import { followObjects } from '../follow-objects.ts';
import { OTHER, readiness } from './other-tenant.ts';

export interface Observed {
  /** Ready of the Karmada of the other tenant: one value if it never changed. */
  readonly ready: readonly string[];
  /** Holders of the Lease of the operator: one value if it was never lost. */
  readonly holders: readonly string[];
  /** Longest time between two renewals of the Lease that were seen, in milliseconds. */
  readonly renewal: number;
}

/** Name, UID and restarts of each Pod of the operator. */
export async function operatorPods(cluster: Cluster): Promise<readonly string[]> {
  const labelSelector = `app.kubernetes.io/name=${release}`;
  const { items } = await withClient(cluster, (client) =>
    client.list(resources.Pod, { namespace: operatorNamespace, labelSelector }),
  );
  return items.map(({ metadata, status }) => {
    const { containerStatuses = [] } = (status ?? {}) as {
      containerStatuses?: readonly { restartCount: number }[];
    };
    const restarts = containerStatuses.map(({ restartCount }) => restartCount).join();
    return `${metadata.name} ${String(metadata.uid)} restarts ${restarts}`;
  });
}

/** Records Ready of the other tenant and the Lease of the operator until `end` is called. */
export function observe(cluster: Cluster): { end(): Promise<Observed> } {
  const ready = new Set<string>();
  const holders = new Set<string>();
  let renewal = 0;
  let renewed: number | undefined;
  const note = ({ metadata, ...lease }: KubernetesObject): void => {
    if (metadata.name !== release) return;
    const { holderIdentity = '', leaseTransitions = 0 } = lease['spec'] as {
      readonly holderIdentity?: string;
      readonly leaseTransitions?: number;
    };
    holders.add(`${holderIdentity} after ${String(leaseTransitions)} transitions`);
    const now = performance.now();
    renewal = Math.max(renewal, now - (renewed ?? now));
    renewed = now;
  };
  const follows = [
    followObjects(clientOf(cluster), karmadas, OTHER, (object) => ready.add(readiness(object))),
    followObjects(clientOf(cluster), resources.Lease, operatorNamespace, note),
  ];
  return {
    async end() {
      await Promise.all(follows.map((follow) => follow.stop()));
      return { ready: [...ready], holders: [...holders], renewal };
    },
  };
}
