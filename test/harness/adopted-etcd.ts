/** An etcd of the Go operator in a cluster, which becomes one of this operator. */
import { ADOPT_ETCD_ANNOTATION } from '../../src/api/validation/adopt-etcd.ts';
import { kubectl } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { conditionOf } from './adopted-karmada.ts';
import { untilReady } from './control-plane.ts';
import { etcdPods, type InstanceAt } from './etcd-members.ts';
import { memberList, peerListener } from './http-peers.ts';

/** Gives the consent. */
export async function consentToEtcd({ cluster, name, namespace }: InstanceAt): Promise<void> {
  const text = `${ADOPT_ETCD_ANNOTATION}=Automatic`;
  await kubectl(cluster, ['annotate', 'karmada', name, '-n', namespace, text]);
}

/**
 * Waits until the condition is gone, and all members accept and list only https.
 * @param host with the Pods; the cluster of the Karmada by default
 */
export async function untilNativeEtcd(
  karmada: InstanceAt,
  members: number,
  host = karmada,
): Promise<void> {
  await poll(
    'etcd is one of this operator',
    async (seen) => {
      const [told, pods, listed] = [
        await conditionOf(karmada, 'EtcdAdopted'),
        await etcdPods(host),
        await memberList(host).catch(() => []),
      ];
      const urls = [
        ...listed.flatMap(({ peerURLs }) => peerURLs),
        ...pods.map((pod) => peerListener(pod) ?? ''),
      ];
      seen(`${JSON.stringify(told)} ${urls.join()}`);
      const isSecure = urls.length === 2 * members && urls.every((url) => /^https:/.test(url));
      return (told === undefined && isSecure) || undefined;
    },
    { deadlineMs: 600_000, intervalMs: 1_000 },
  );
  await untilReady(karmada.cluster, karmada.name, karmada.namespace, 300_000);
}
