/** Reads a local etcd from the API server and its members immediately before a change of it. */
import { COMPONENT, INSTANCE } from '../../api/labels.ts';
import type { EtcdView } from '../../etcd/view.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { StatefulSet } from '../../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { viewOfPods, type AskMembers } from './etcd-members.ts';

export interface LiveTools {
  readonly client: Pick<KubernetesClient, 'find' | 'list'>;
  /** Absent while the operator has no client certificate for etcd. */
  readonly ask: AskMembers | undefined;
  readonly clock: { wall(): number; monotonic(): number };
}

/** Validity of a proof from its first read, in milliseconds. One round of queries takes at most 4 s. */
export const PROOF_MS = 5_000;

/** Objects of an etcd that were read just now. */
export interface LiveEtcd {
  readonly statefulSet: StatefulSet;
  readonly pods: readonly Pod[];
  /** Queries the members in these Pods. */
  readonly view: () => Promise<EtcdView>;
  /** Remaining validity of all that was read, in milliseconds. */
  readonly leftMs: () => number;
}

/**
 * Reads the StatefulSet and its Pods.
 * @param cached StatefulSet in the cache
 * @param name `metadata.name` of the Karmada
 * @returns undefined if the StatefulSet does not exist, or is another one
 * @throws ApiError, NetworkError if a read fails
 */
export async function readLive(
  { client, ask, clock }: LiveTools,
  { metadata }: KubernetesObject,
  name: string,
): Promise<LiveEtcd | undefined> {
  const askedAt = clock.monotonic();
  const { namespace = '' } = metadata;
  const labelSelector = `${COMPONENT}=etcd,${INSTANCE}=${name}`;
  const [statefulSet, { items: pods }] = await Promise.all([
    client.find(resources.StatefulSet, { namespace, name: metadata.name }),
    client.list(resources.Pod, { namespace, labelSelector }),
  ]);
  if (statefulSet === undefined || statefulSet.metadata.uid !== metadata.uid) return undefined;
  return {
    statefulSet,
    pods,
    view: async () => viewOfPods(ask === undefined ? [] : await ask(pods), pods, clock.wall()),
    leftMs: () => PROOF_MS - (clock.monotonic() - askedAt),
  };
}
