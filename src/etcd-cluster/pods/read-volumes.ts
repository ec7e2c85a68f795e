/** Reads the PersistentVolumes of etcd members that are down, and the nodes that these volumes require. */
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { isStatus } from '../../kubernetes/client/errors.ts';
import { HOSTNAME, reduceNode } from '../../kubernetes/objects/node.ts';
import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
} from '../../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { reducedTo } from '../../kubernetes/informers/reduced-list.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { etcdPods } from './etcd-pods.ts';
import { claimsOfPods } from '../storage/persistent-volume-claims.ts';
import { downSince, volumeNameOf, type VolumeFacts } from './defects.ts';
import { hostNamesOf } from '../storage/volume-nodes.ts';

type Client = Pick<KubernetesClient, 'list'>;

interface MemberObjects {
  readonly pods: readonly Pod[];
  readonly claims: readonly PersistentVolumeClaim[];
}

/** Most volumes that are read, each with one request. The nodes of others are unknown, so that no member counts as lost for them. */
const MAX_VOLUMES = 32;

/**
 * Most host names whose nodes are read, each with one request. Of a volume, all nodes are read or none: without one of its nodes, its
 * member could count as lost.
 */
const MAX_HOSTS = 64;

/**
 * Maximum length of the list that reads one volume or one node, in characters: several times that of a real one. All of them are in
 * memory at once, and a host cluster decides how long they are.
 */
const MAX_BYTES = 262_144;

/** Time in milliseconds for which the volume of a member that is down is not read: the Pod of each new member starts meanwhile. */
const STARTS_MS = 10_000;

/** The Pods without those of members that have not been ready only for moments. @param now wall clock in milliseconds */
export const withoutStarting = (pods: readonly Pod[], now: number): readonly Pod[] =>
  pods.filter((pod) => now - (downSince(pod) ?? -Infinity) >= STARTS_MS);

/** Returns the nodes with these host names. */
export type NodesNamed = (hosts: readonly string[]) => Promise<readonly KubernetesObject[]>;

/**
 * Reads the volumes of members that are down. Reads nothing while all members are ready.
 * @throws ApiError, NetworkError if a retry may succeed
 */
export async function readVolumes(
  client: Client,
  { pods, claims }: MemberObjects,
  nodesNamed: NodesNamed,
): Promise<VolumeFacts> {
  const down = etcdPods(pods).filter((pod) => downSince(pod) !== undefined);
  const names = claimsOfPods(claims, down).flatMap((claim) => volumeNameOf(claim) ?? []);
  const read = [...new Set(names)].slice(0, MAX_VOLUMES);
  const found = await Promise.all(read.map((name) => volumeNamed(client, name)));
  const { volumes, hosts } = withFewHosts(found.flat());
  return { volumes, nodes: hosts.length === 0 ? [] : await nodesNamed(hosts) };
}

interface VolumeHosts {
  readonly volumes: readonly PersistentVolume[];
  /** Host names that they require. */
  readonly hosts: readonly string[];
}

/** Leaves out each volume with which the host names would be too many. */
function withFewHosts(found: readonly KubernetesObject[]): VolumeHosts {
  const hosts = new Set<string>();
  const volumes = found.filter((volume) => {
    const further = new Set(hostNamesOf(volume).filter((host) => !hosts.has(host)));
    if (hosts.size + further.size > MAX_HOSTS) return false;
    for (const host of further) hosts.add(host);
    return true;
  });
  return { volumes, hosts: [...hosts] };
}

/** The operator may list volumes, and not get one. Without the permission their nodes are unknown. */
async function volumeNamed(client: Client, name: string): Promise<readonly KubernetesObject[]> {
  try {
    const { items } = await client.list(resources.PersistentVolume, {
      fieldSelector: `metadata.name=${name}`,
      maxBytes: MAX_BYTES,
    });
    const found = items.find(({ metadata }) => metadata.name === name);
    return found === undefined ? [] : [found];
  } catch (error) {
    if (isStatus(error, 403)) return [];
    throw error;
  }
}

/** Reads the nodes with these host names from the API server. */
export const liveNodesNamed =
  (client: Client): NodesNamed =>
  async (hosts) => {
    const lists = await Promise.all(
      hosts.map((host) =>
        client.list(resources.Node, {
          labelSelector: `${HOSTNAME}=${host}`,
          maxBytes: MAX_BYTES,
          ...reducedTo(reduceNode),
        }),
      ),
    );
    return lists.flatMap(({ items }) => items);
  };

/** Selects the nodes with these host names from a cache. */
export const nodesNamedIn =
  (nodes: readonly Node[]): NodesNamed =>
  async (hosts) => {
    const names = new Set(hosts);
    return nodes.filter(({ metadata }) => names.has(metadata.labels?.[HOSTNAME] ?? ''));
  };
