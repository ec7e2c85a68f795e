/**
 * Restarts one etcd member with an outdated Pod template. Proves the quorum immediately before the deletion of its
 * Pod.
 */
import type { EtcdView } from '../../etcd/view.ts';
import type { KubernetesClient } from '../../kubernetes/client-interface.ts';
import { isNotFound, isStatus } from '../../kubernetes/errors.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { resources } from '../../kubernetes/resources.ts';
import type { BlockedChange } from '../blocked-change.ts';
import { COMPONENT, INSTANCE } from '../../api/labels.ts';
import { viewOfPods, type AskMembers } from './etcd-members.ts';
import { peerSchemeOf, type PeerScheme } from '../../components/etcd/peer-flags.ts';
import { membersToRestart, type RestartContext } from './plan-etcd.ts';
import { decideRestart } from './restart-decision.ts';

export interface RestartTools extends RestartContext {
  readonly client: Pick<KubernetesClient, 'find' | 'list' | 'delete'>;
  /** Absent while the operator has no client certificate for etcd. */
  readonly ask: AskMembers | undefined;
  readonly clock: { wall(): number; monotonic(): number };
}

/** Number of deleted Pods, or the reason why none was deleted. */
export type RestartOutcome =
  { readonly writes: number } | { readonly blockedChange: BlockedChange };

/** Validity of a quorum proof from its first query, in milliseconds. One round of queries takes at most 4 s. */
const PROOF_MS = 5_000;

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
  const { client, clock } = tools;
  for (let proofs = 0; proofs < PROOFS; proofs += 1) {
    const askedAt = clock.monotonic();
    const left = (): number => PROOF_MS - (clock.monotonic() - askedAt);
    const { candidates, pods, peers } = await readLive(client, set, name, tools);
    const [first, ...others] = candidates;
    if (first === undefined) return { writes: 0 };
    const view = await seenBy(tools, pods);
    const decision = decideRestart([first, ...others], view, peers);
    if ('refusal' in decision) return { blockedChange: { step: 'etcd', ...decision.refusal } };
    if (left() > 0) return deletePod(client, decision.pod, left());
  }
  return { blockedChange: STALLED };
}

const STALLED: BlockedChange = {
  step: 'etcd',
  reason: 'EtcdQuorumUnproven',
  message: `etcd: member restart blocked, because the quorum check took longer than ${String(PROOF_MS / 1_000)} s; the operator retries`,
};

interface Live {
  readonly candidates: readonly KubernetesObject[];
  readonly pods: readonly KubernetesObject[];
  /** Scheme of the peer listener in the Pod template. */
  readonly peers: PeerScheme;
}

async function readLive(
  client: RestartTools['client'],
  { metadata }: KubernetesObject,
  name: string,
  context: RestartContext,
): Promise<Live> {
  const { namespace = '' } = metadata;
  const labelSelector = `${COMPONENT}=etcd,${INSTANCE}=${name}`;
  const [set, { items }] = await Promise.all([
    client.find(resources.StatefulSet, { namespace, name: metadata.name }),
    client.list(resources.Pod, { namespace, labelSelector }),
  ]);
  const isSame = set?.metadata.uid === metadata.uid;
  const candidates = isSame ? membersToRestart(set, items, context) : [];
  return { candidates, pods: items, peers: set ? peerSchemeOf(set) : 'https' };
}

async function seenBy(
  { ask, clock }: RestartTools,
  pods: readonly KubernetesObject[],
): Promise<EtcdView> {
  const results = ask === undefined ? [] : await ask(pods);
  return viewOfPods(results, pods, clock.wall());
}

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
