import { karmadaBackups, karmadaRestores } from '../../src/api/backup/kinds.ts';
import { resources, type ResourceType } from '../../src/kubernetes/objects/resources.ts';
import { karmadas } from '../../src/host-clusters/host.ts';
import { findCluster, kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { down } from '../../tools/embedded-cluster/down.ts';
import type { ImageName } from '../../tools/embedded-cluster/images.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { startedNodes } from '../../tools/embedded-cluster/start-record.ts';
import { up } from '../../tools/embedded-cluster/up.ts';
import { withClient } from './client.ts';
import { sharedCluster } from '../../tools/embedded-cluster/shared-cluster.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';

const progress = createProgress(process.stderr);

/**
 * Starts the shared cluster if it does not run.
 * @param images loaded in addition to those of the node
 * @param nodes number of nodes; a running cluster with fewer nodes is recreated
 */
export async function useCluster(
  images: readonly ImageName[] = ['busybox'],
  nodes = 1,
): Promise<Cluster> {
  if (findCluster(sharedCluster) !== undefined && startedNodes(sharedCluster) < nodes)
    await removeCluster();
  return up({ name: sharedCluster, images, nodes, progress });
}

/** Removes the shared cluster. The next suite starts it again. */
export async function removeCluster(): Promise<void> {
  await down(sharedCluster, progress);
}

/** Applies objects and returns the kubectl output; throws if the API server rejects an object. */
export async function apply(cluster: Cluster, ...objects: readonly object[]): Promise<string> {
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  return kubectl(cluster, ['apply', '--server-side', '-f', '-'], JSON.stringify(list));
}

/** Resource types by kubectl resource name. */
const KINDS = {
  karmada: karmadas,
  deployment: resources.Deployment,
  lease: resources.Lease,
  karmadabackup: karmadaBackups,
  karmadarestore: karmadaRestores,
  node: resources.Node,
  pod: resources.Pod,
  pv: resources.PersistentVolume,
  pvc: resources.PersistentVolumeClaim,
  secret: resources.Secret,
  service: resources.Service,
  statefulset: resources.StatefulSet,
} as const satisfies Record<string, ResourceType>;

/**
 * Reads an object through the API client. Most waits poll this function, and a kubectl process per read would be
 * slow.
 * @throws ApiError if the object does not exist
 */
export async function getObject<T>(
  cluster: Cluster,
  kind: keyof typeof KINDS,
  name: string,
  namespace: string,
): Promise<T> {
  const key = namespace === '' ? { name } : { namespace, name };
  return withClient(cluster, (client) =>
    client.get<KubernetesObject>(KINDS[kind], key),
  ) as Promise<T>;
}

/** Waits for a fixed time in which no change is expected. */
export async function quiet(milliseconds: number): Promise<void> {
  const ends = Date.now() + milliseconds;
  await poll('the time has passed', async () => (Date.now() > ends ? true : undefined), {
    deadlineMs: milliseconds + 10_000,
  });
}
