/**
 * Restarts one etcd member with an outdated Pod template. Proves the quorum immediately before the deletion of its
 * Pod.
 */
import { podClaimName } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { isNotFound, isStatus } from '../../kubernetes/client/errors.ts';
import type { StatefulSet } from '../../kubernetes/objects/kinds.ts';
import { isTerminating, nameOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import { peerSchemeOf } from '../../components/etcd/peer-flags.ts';
import { membersToRestart, type RestartContext } from '../etcd-storage/plan-etcd.ts';
import { PROOF_MS, readLive, type LiveTools } from './read-live.ts';
import { decideRestart } from '../../etcd-cluster/pods/restart-decision.ts';
import { claimsOf, specOf, volumeOf } from '../../etcd-cluster/pods/stateful-set.ts';

export interface RestartTools extends RestartContext, LiveTools {
  readonly client: Pick<KubernetesClient, 'find' | 'list' | 'delete'>;
}

/** Number of deleted Pods, or the reason why none was deleted. */
export type RestartOutcome =
  { readonly writes: number } | { readonly blockedChange: BlockedChange };

/** Attempts to prove a quorum. A proof may expire if the process or the node stalls. */
const PROOFS = 2;

/**
 * Restarts one member after live reads of the StatefulSet, its Pods and the member responses. Deletes only the Pod
 * version that was checked. If the Pod has changed, its event triggers the next reconcile.
 * @param set cached StatefulSet
 * @param name `metadata.name` of the Karmada
 * @throws ApiError, NetworkError if a read or the deletion fails
 */
export async function restartMember(
  tools: RestartTools,
  set: KubernetesObject,
  name: string,
): Promise<RestartOutcome> {
  for (let proofs = 0; proofs < PROOFS; proofs += 1) {
    const live = await readLive(tools, set, name);
    if (live === undefined) return { writes: 0 };
    const { statefulSet, pods, view, leftMs } = live;
    const [first, ...others] = membersToRestart(statefulSet, pods, tools);
    if (first === undefined) return { writes: 0 };
    const decision = decideRestart([first, ...others], await view(), peerSchemeOf(statefulSet));
    if ('refusal' in decision) return { blockedChange: { step: 'etcd', ...decision.refusal } };
    const ending = await endingClaim(tools, statefulSet, decision.pod);
    if (ending !== undefined) return { blockedChange: ending };
    if (leftMs() > 0) return deletePod(tools.client, decision.pod, leftMs());
  }
  return { blockedChange: STALLED };
}

/** A PVC that is being deleted ends with the Pod that uses it. Only the operator replaces a member without its data. */
async function endingClaim(
  { client, isFounding, isReplaced }: RestartTools,
  statefulSet: StatefulSet,
  { metadata: { name: pod, namespace = '' } }: Pod,
): Promise<BlockedChange | undefined> {
  const spec = specOf(statefulSet);
  if (isFounding === true || isReplaced === true || claimsOf(spec).length === 0) return undefined;
  const name = podClaimName(volumeOf(spec), pod);
  const claim = await client.find(resources.PersistentVolumeClaim, { namespace, name });
  if (claim === undefined || !isTerminating(claim)) return undefined;
  return {
    step: 'etcd',
    reason: 'EtcdVolumeUnproven',
    message: `${nameOf(claim)}: is being deleted, and ends with the Pod that uses it, so the operator does not restart this etcd member; take a backup, and restore it into a new Karmada`,
  };
}

const STALLED: BlockedChange = {
  step: 'etcd',
  reason: 'EtcdQuorumUnproven',
  message: `etcd: member restart blocked, because the quorum check took longer than ${String(PROOF_MS / 1_000)} s; the operator retries`,
};

/**
 * @param leftMs remaining validity of the proof; a request that waits longer, for example for the rate limit, is
 *   canceled
 */
async function deletePod(
  client: RestartTools['client'],
  { metadata }: KubernetesObject,
  leftMs: number,
): Promise<RestartOutcome> {
  const { name, namespace, uid, resourceVersion } = metadata;
  if (namespace === undefined || uid === undefined || resourceVersion === undefined)
    return { writes: 0 };
  const signal = AbortSignal.timeout(Math.ceil(leftMs));
  try {
    await client.delete(resources.Pod, { namespace, name }, { uid, resourceVersion, signal });
    return { writes: 1 };
  } catch (error) {
    if (signal.aborted) return { blockedChange: STALLED };
    if (!isNotFound(error) && !isStatus(error, 409)) throw error;
    return { writes: 0 };
  }
}
