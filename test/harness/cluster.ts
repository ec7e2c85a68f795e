import { resources, type ResourceType } from '../../src/kubernetes/resources.ts';
import { karmadas } from '../../src/hosts/host.ts';
import { kubectl, type Cluster } from '../cluster/cluster.ts';
import type { ImageName } from '../cluster/images.ts';
import { poll } from '../cluster/poll.ts';
import { createProgress } from '../cluster/progress.ts';
import { up } from '../cluster/up.ts';
import { withClient } from './client.ts';
import { sharedCluster } from './shared.ts';

const progress = createProgress(process.stderr);

/** The shared cluster, brought up when it is not, with these images besides those of the node. */
export async function useCluster(images: readonly ImageName[] = ['busybox']): Promise<Cluster> {
  return up({ name: sharedCluster, images, progress });
}

/** Applies objects and returns what kubectl says; throws when the API server refuses one. */
export async function apply(cluster: Cluster, ...objects: readonly object[]): Promise<string> {
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  return kubectl(cluster, ['apply', '--server-side', '-f', '-'], JSON.stringify(list));
}

/** Kinds by the names that kubectl knows them by. */
const KINDS = {
  karmada: karmadas,
  deployment: resources.Deployment,
  lease: resources.Lease,
  node: resources.Node,
  pod: resources.Pod,
  pv: resources.PersistentVolume,
  pvc: resources.PersistentVolumeClaim,
  secret: resources.Secret,
  service: resources.Service,
  statefulset: resources.StatefulSet,
} as const satisfies Record<string, ResourceType>;

/**
 * An object of the cluster, read without a process of its own, since most waits are made of such reads.
 * @throws ApiError when there is none
 */
export async function getObject<T>(
  cluster: Cluster,
  kind: keyof typeof KINDS,
  name: string,
  namespace: string,
): Promise<T> {
  const key = namespace === '' ? { name } : { namespace, name };
  return withClient(cluster, (client) => client.get(KINDS[kind], key)) as Promise<T>;
}

/** Lets time pass in which nothing is expected to happen. */
export async function quiet(milliseconds: number): Promise<void> {
  const ends = Date.now() + milliseconds;
  await poll('the time has passed', async () => (Date.now() > ends ? true : undefined), {
    deadlineMs: milliseconds + 10_000,
  });
}
