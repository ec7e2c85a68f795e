/**
 * Rules that move the connections between running members from http to https: pure, one step at a time, from facts
 * only. etcd tries all peer URLs of a member in turn. So each member is first listed with both schemes, then restarts
 * with https, and finally loses its http URL. A member is dialable at a listed URL at any time, also after a crash of
 * the operator or of a Pod between two steps.
 */
import { clusterOf, podsByOrdinal, unhealthy, type Member } from './cluster.ts';
import { peerURL, type MemberFacts, type MemberPod } from './facts.ts';
import { wait, type MemberStep, type Rule } from './step.ts';
import type { PeerScheme } from '../../components/etcd/peer-flags.ts';

/** Whether a member is listed with a URL of this scheme. */
const lists = ({ peerURLs }: Pick<Member, 'peerURLs'>, scheme: PeerScheme): boolean =>
  peerURLs.some((url) => url.startsWith(`${scheme}://`));

/** Whether a member is listed with the https URL of its Pod. With one of another name the others would not find it. */
const listsOwn = (facts: MemberFacts, { ordinal, peerURLs }: Member): boolean =>
  peerURLs.includes(peerURL({ ...facts, peers: 'https' }, ordinal));

/** Whether members still use http: in the template, in a Pod, or in the member list. */
export const hasHttp = ({
  peers,
  pods,
  view,
}: Pick<MemberFacts, 'peers' | 'pods' | 'view'>): boolean =>
  peers === 'http' ||
  pods.some(({ listensHttp }) => listensHttp === true) ||
  view.members.some((member) => lists(member, 'http'));

/** Members that others do not find once they listen for http. */
export const listedWithoutHttp = <M extends Pick<Member, 'peerURLs'>>(members: readonly M[]): M[] =>
  members.filter((member) => !lists(member, 'http'));

/**
 * Scheme that the record has: http only while members that listen for http find each other, because a deleted StatefulSet
 * is created again with it.
 * @param listens scheme of the Pod template
 */
export const recordedScheme = (
  listens: PeerScheme,
  members: readonly Pick<Member, 'peerURLs'>[],
): { readonly peers?: 'http' } =>
  listens === 'http' && listedWithoutHttp(members).length === 0 ? { peers: 'http' } : {};

/** Whether the record of an etcd of the Go operator notes that its members are listed with http URLs. */
export const recordedList = (
  members: readonly Pick<Member, 'peerURLs'>[],
): { readonly listsHttp?: true } =>
  members.some((member) => lists(member, 'http')) ? { listsHttp: true } : {};

/** Changes the peer URLs of one member. */
export const securePeers: Rule = (facts) => {
  const { voters, learners } = clusterOf(facts);
  const isMoving = facts.peers === 'http' || voters.some((voter) => lists(voter, 'http'));
  if (facts.peers === 'http' && facts.keepsHttp === true) return undefined;
  // etcd 3.6.6 to 3.6.11 lists a learner as a voter after a change of its peer URLs.
  if (!isMoving || learners.length > 0) return undefined;
  const [unsound] = unhealthy(facts, voters);
  if (unsound !== undefined)
    return wait(`etcd: peer URLs do not change while ${unsound.podName} is not healthy`);
  return facts.peers === 'http' ? addHttps(facts, voters) : endHttp(facts, voters);
};

function addHttps(facts: MemberFacts, voters: readonly Member[]): MemberStep | undefined {
  // No other member connects to a single one.
  if (voters.length === 1) return undefined;
  const unable = facts.pods.find(({ lacksPeerCertificate }) => lacksPeerCertificate === true);
  if (unable !== undefined)
    return wait(`etcd: members accept http until ${unable.name} restarts with a peer certificate`);
  const next = voters.find((voter) => !listsOwn(facts, voter));
  return next && listBoth(facts, next);
}

function endHttp(facts: MemberFacts, voters: readonly Member[]): MemberStep | undefined {
  const unlisted = voters.find((voter) => !listsOwn(facts, voter));
  if (unlisted !== undefined && voters.length > 1) return listBoth(facts, unlisted);
  const pods = podsByOrdinal(facts);
  const former = voters.find(({ ordinal }) => !listensTls(pods.get(ordinal)));
  if (former !== undefined)
    return wait(`etcd: members are listed with http and https until ${former.podName} restarts`);
  const next = voters.find((voter) => lists(voter, 'http'));
  return next && update(next, [peerURL({ ...facts, peers: 'https' }, next.ordinal)]);
}

/** A URL of another name stays until the end: the other members may connect to it. */
function listBoth(facts: MemberFacts, voter: Member): MemberStep {
  const own = (['http', 'https'] as const).map((peers) =>
    peerURL({ ...facts, peers }, voter.ordinal),
  );
  const [http = '', https = ''] = own;
  return update(voter, [http, ...voter.peerURLs.filter((url) => !own.includes(url)), https]);
}

const update = ({ id, podName }: Member, peerURLs: readonly string[]): MemberStep => ({
  kind: 'updatePeerURLs',
  memberId: id,
  peerURLs,
  message: `etcd: ${podName} gets the peer URLs ${peerURLs.join(' and ')}`,
});

const listensTls = (pod: MemberPod | undefined): boolean =>
  pod !== undefined && !pod.isTerminating && pod.listensHttp !== true;

/**
 * Scheme for the Pod template: https as soon as all members can restart with it.
 * @param keepsData whether the data of a member survives its restart
 */
export function templateScheme(facts: MemberFacts, keepsData: boolean): PeerScheme {
  if (facts.peers !== 'http') return 'https';
  if (facts.keepsHttp === true) return 'http';
  const { voters, learners, strangers } = clusterOf(facts);
  const { view, isFormed } = facts;
  const isKnown = isFormed && view.quorum && learners.length + strangers.length === 0;
  return isKnown && keepsData && canRestart(facts, voters) ? 'https' : 'http';
}

function canRestart(facts: MemberFacts, voters: readonly Member[]): boolean {
  const { pods, replicas } = facts;
  if (voters.length === 1 && replicas === 1) return true;
  const areListed = voters.every((voter) => listsOwn(facts, voter));
  return areListed && pods.every(({ lacksPeerCertificate }) => lacksPeerCertificate !== true);
}
