/**
 * Decides whether an etcd member may be restarted, from fresh member responses: pure. Ready Pods in a cache prove
 * nothing: the cache may be a minute old, and the Pods may belong to different clusters.
 */
import { majorityOf, votersOf, type EtcdView } from '../../etcd/view.ts';
import { nameOf, type KubernetesObject } from '../../kubernetes/object.ts';
import { isDown } from './etcd-pods.ts';
import type { PeerScheme } from '../../components/etcd/peer-flags.ts';

/** Reason why no member is restarted now. */
interface Refusal {
  readonly reason: 'SplitBrain' | 'EtcdUnobserved' | 'EtcdQuorumUnproven';
  readonly message: string;
}

export type RestartDecision = { readonly pod: KubernetesObject } | { readonly refusal: Refusal };

/**
 * Selects the member to restart.
 * @param candidates Pods of which any one may be restarted, in order of preference; at least one
 * @param view fresh responses of all members
 * @param peers scheme of the peer listener that a restarted member gets
 */
export function decideRestart(
  candidates: readonly [KubernetesObject, ...KubernetesObject[]],
  view: EtcdView,
  peers: PeerScheme = 'https',
): RestartDecision {
  if (view.splitBrain !== undefined) return { refusal: view.splitBrain };
  const [first, ...others] = inOrder(candidates, view.leader);
  const refusals = [first, ...others].map((pod) => ({
    pod,
    refusal: refusalFor(pod, view, peers),
  }));
  const allowed = refusals.find(({ refusal }) => refusal === undefined);
  if (allowed !== undefined) return { pod: allowed.pod };
  return { refusal: refusals[0]?.refusal ?? unproven(first, 'no member responded') };
}

/** Orders the leader last. Requests during a leader change may fail, so there is only one. */
function inOrder(
  candidates: readonly [KubernetesObject, ...KubernetesObject[]],
  leader: string | undefined,
): readonly [KubernetesObject, ...KubernetesObject[]] {
  const leads = ({ metadata }: KubernetesObject): boolean => metadata.name === leader;
  const [first = candidates[0], ...others] = [
    ...candidates.filter((pod) => !leads(pod)),
    ...candidates.filter(leads),
  ];
  return [first, ...others];
}

function refusalFor(pod: KubernetesObject, view: EtcdView, peers: PeerScheme): Refusal | undefined {
  const { name } = pod.metadata;
  const answer = view.answers.find((item) => item.pod === name);
  // The kubelet reports that it does not run, and it does not respond: it is not part of a quorum.
  if (answer === undefined && isDown(pod)) return undefined;
  if (answer === undefined) return unobserved(pod, view);
  const voters = votersOf(view.members);
  const own = voters.find(({ id }) => id === answer.memberId);
  if (voters.length > 1 && own && !isListed(own, peers)) return unlisted(pod, peers);
  return quorumRefusal(pod, view, { voters: voters.length, isVoter: own !== undefined });
}

function quorumRefusal(
  pod: KubernetesObject,
  view: EtcdView,
  { voters, isVoter }: { readonly voters: number; readonly isVoter: boolean },
): Refusal | undefined {
  const { name } = pod.metadata;
  const others = view.serving.filter((other) => other !== name);
  const rest = voters - (isVoter ? 1 : 0);
  // With one or two voters a restart always interrupts service. It is allowed because the data outlives the Pod.
  const needed = Math.min(majorityOf(voters), rest);
  if (voters > 0 && others.length >= needed && isSettled(name, isVoter, view)) return undefined;
  return unproven(pod, `${othersText(others)}, ${needed} required${silentText(view)}`);
}

/** Whether the other members can connect to a member that accepts this scheme. */
const isListed = (
  { peerURLs }: Pick<EtcdView['members'][number], 'peerURLs'>,
  peers: PeerScheme,
): boolean => peerURLs.some((url) => url.startsWith(`${peers}://`));

function unlisted(pod: KubernetesObject, peers: PeerScheme): Refusal {
  return {
    reason: 'EtcdQuorumUnproven',
    message: `${nameOf(pod)}: restart for the changed template blocked, because the etcd cluster lists no ${peers} peer URL of this member, so the others would not reach it; the operator adds the URL when all members are healthy, check the logs of the unhealthy members`,
  };
}

/** A voter must be healthy itself. The operator does not restart a lagging or isolated voter. */
const isSettled = (name: string, isVoter: boolean, { serving }: EtcdView): boolean =>
  !isVoter || serving.includes(name);

const othersText = (others: readonly string[]): string =>
  others.length === 0
    ? 'no other member is healthy'
    : `other healthy members: ${others.join(', ')}`;

const silentText = ({ silent }: EtcdView): string =>
  silent.map(({ pod, cause }) => `; ${pod}: ${cause}`).join('');

function unproven(pod: KubernetesObject, why: string): Refusal {
  return {
    reason: 'EtcdQuorumUnproven',
    message: `${nameOf(pod)}: restart for the changed template blocked, because the other etcd members do not prove a quorum without it (${why}); the operator retries, check the logs of the unhealthy members`,
  };
}

function unobserved(pod: KubernetesObject, { silent }: EtcdView): Refusal {
  const { name } = pod.metadata;
  const cause = silent.find((item) => item.pod === name)?.cause ?? 'not queried';
  return {
    reason: 'EtcdUnobserved',
    message: `${nameOf(pod)}: restart for the changed template blocked, because the operator cannot query its etcd member (${cause}); allow traffic from the operator to port 2379 of the Pod`,
  };
}
