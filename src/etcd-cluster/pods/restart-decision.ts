/**
 * Decides whether an etcd member may be restarted, from fresh member responses: pure. Ready Pods in a cache prove
 * nothing: the cache may be a minute old, and the Pods may belong to different clusters.
 */
import { majorityOf, votersOf, type EtcdView } from '../../etcd/view.ts';
import { firstBy } from '../../kubernetes/objects/first-by.ts';
import { nameOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { isDown } from './etcd-pods.ts';
import type { PeerScheme } from '../../components/etcd/peer-flags.ts';

/** Reason why no member is restarted now. */
interface Refusal {
  readonly reason: 'SplitBrain' | 'EtcdUnobserved' | 'EtcdQuorumUnproven';
  readonly message: string;
}

export type RestartDecision = { readonly pod: Pod } | { readonly refusal: Refusal };

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
  const seen = seenOf(view, peers);
  const allowed = [first, ...others].find((pod) => refusalFor(pod, seen) === undefined);
  if (allowed !== undefined) return { pod: allowed };
  return { refusal: refusalFor(first, seen)?.() ?? unproven(first, 'no member responded') };
}

/** What each candidate is compared with. */
interface Seen {
  readonly view: EtcdView;
  readonly peers: PeerScheme;
  /** Responses by Pod. */
  readonly answers: ReadonlyMap<string, EtcdView['answers'][number]>;
  /** Voters by ID. */
  readonly byId: ReadonlyMap<string, EtcdView['members'][number]>;
  /** Number of voters. */
  readonly voters: number;
  /** Pods of healthy voters. */
  readonly serving: ReadonlySet<string>;
}

function seenOf(view: EtcdView, peers: PeerScheme): Seen {
  const voters = votersOf(view.members);
  return {
    view,
    peers,
    voters: voters.length,
    serving: new Set(view.serving),
    answers: firstBy(view.answers, ({ pod }) => pod),
    byId: firstBy(voters, ({ id }) => id),
  };
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

/** Creates a refusal, whose text names all members. Only that of one candidate is needed. */
type CreateRefusal = () => Refusal;

/** @returns undefined if the member in the Pod may be restarted */
function refusalFor(pod: Pod, seen: Seen): CreateRefusal | undefined {
  const { view, peers, answers, byId, voters } = seen;
  const answer = answers.get(pod.metadata.name);
  // The kubelet reports that it does not run, and it does not respond: it is not part of a quorum.
  if (answer === undefined && isDown(pod)) return undefined;
  if (answer === undefined) return () => unobserved(pod, view);
  const own = byId.get(answer.memberId);
  if (voters > 1 && own && !isListed(own, peers)) return () => unlisted(pod, peers);
  return quorumRefusal(pod, seen, own !== undefined);
}

function quorumRefusal(
  pod: Pod,
  { view, voters, serving }: Seen,
  isVoter: boolean,
): CreateRefusal | undefined {
  const { name } = pod.metadata;
  const isHealthy = serving.has(name);
  const others = serving.size - (isHealthy ? 1 : 0);
  const rest = voters - (isVoter ? 1 : 0);
  // With one or two voters a restart always interrupts service. It is allowed because the data outlives the Pod.
  const needed = Math.min(majorityOf(voters), rest);
  // A voter must be healthy itself. The operator does not restart a lagging or isolated voter.
  if (voters > 0 && others >= needed && (!isVoter || isHealthy)) return undefined;
  const named = (): string => othersText(view.serving.filter((other) => other !== name));
  return () => unproven(pod, `${named()}, ${needed} required${silentText(view)}`);
}

/** Whether the other members can connect to a member that accepts this scheme. */
const isListed = (
  { peerURLs }: Pick<EtcdView['members'][number], 'peerURLs'>,
  peers: PeerScheme,
): boolean => peerURLs.some((url) => url.startsWith(`${peers}://`));

function unlisted(pod: Pod, peers: PeerScheme): Refusal {
  return {
    reason: 'EtcdQuorumUnproven',
    message: `${nameOf(pod)}: restart for the changed template blocked, because the etcd cluster lists no ${peers} peer URL of this member, so the others would not reach it; the operator adds the URL when all members are healthy, check the logs of the unhealthy members`,
  };
}

const othersText = (others: readonly string[]): string =>
  others.length === 0
    ? 'no other member is healthy'
    : `other healthy members: ${others.join(', ')}`;

const silentText = ({ silent }: EtcdView): string =>
  silent.map(({ pod, cause }) => `; ${pod}: ${cause}`).join('');

function unproven(pod: Pod, why: string): Refusal {
  return {
    reason: 'EtcdQuorumUnproven',
    message: `${nameOf(pod)}: restart for the changed template blocked, because the other etcd members do not prove a quorum without it (${why}); the operator retries, check the logs of the unhealthy members`,
  };
}

function unobserved(pod: Pod, { silent }: EtcdView): Refusal {
  const { name } = pod.metadata;
  const cause = silent.find((item) => item.pod === name)?.cause ?? 'not queried';
  return {
    reason: 'EtcdUnobserved',
    message: `${nameOf(pod)}: restart for the changed template blocked, because the operator cannot query its etcd member (${cause}); allow traffic from the operator to port 2379 of the Pod`,
  };
}
