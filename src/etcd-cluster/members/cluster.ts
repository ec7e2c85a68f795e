/** Members of an etcd by ordinal: pure. A member is identified by its peer URL, never by its position in the list. */
import type { EtcdListedMember } from '../../etcd/messages.ts';
import { votersOf, type EtcdView } from '../../etcd/view.ts';
import { firstBy } from '../../kubernetes/objects/first-by.ts';
import { largestOf } from '../../kubernetes/objects/largest.ts';
import { ordinalAfter } from '../storage/persistent-volume-claims.ts';
import { peerURL, podName, type MemberClaim, type MemberFacts, type MemberPod } from './facts.ts';

/** A member of the list with the ordinal of its Pod. */
export interface Member extends EtcdListedMember {
  readonly ordinal: number;
  /** Name of its Pod, whether or not the Pod exists. */
  readonly podName: string;
}

/** The member list by ordinal. */
export interface MemberCluster {
  readonly voters: readonly Member[];
  readonly learners: readonly Member[];
  /** Listed members that are no Pod of the StatefulSet. */
  readonly strangers: readonly EtcdListedMember[];
}

/** Groups the member list. A member of the Go operator may be listed with a URL of another name; then the Pod that runs it counts. */
export function clusterOf(
  facts: Pick<MemberFacts, 'view' | 'statefulSet' | 'domain' | 'isAdopting'>,
): MemberCluster {
  const found = facts.view.members.map((member) => {
    const ordinals = member.peerURLs.map((url) => ordinalOf(facts, url));
    const ordinal = ordinals.find((one) => one !== undefined);
    return { member, ordinal: ordinal ?? ordinalOfPod(facts, member) };
  });
  const members = found.flatMap(({ member, ordinal }) =>
    ordinal === undefined ? [] : [{ ...member, ordinal, podName: podName(facts, ordinal) }],
  );
  const byOrdinal = members.sort((one, other) => one.ordinal - other.ordinal);
  return {
    voters: votersOf(byOrdinal),
    learners: byOrdinal.filter(({ isLearner }) => isLearner),
    strangers: found.flatMap(({ member, ordinal }) => (ordinal === undefined ? [member] : [])),
  };
}

/** Ordinal of the Pod with a peer URL; undefined if no Pod of the StatefulSet can have it. */
function ordinalOf(
  facts: Pick<MemberFacts, 'statefulSet' | 'domain'>,
  url: string,
): number | undefined {
  const [peers = '', rest = ''] = url.split(`://${facts.statefulSet}-`, 2);
  const digits = /^(0|[1-9]\d{0,5})\./.exec(rest)?.[1];
  if (digits === undefined || (peers !== 'http' && peers !== 'https')) return undefined;
  const ordinal = Number(digits);
  return peerURL({ ...facts, peers }, ordinal) === url ? ordinal : undefined;
}

/** Ordinal of the Pod that responded as a member with the name of this Pod. */
function ordinalOfPod(
  { statefulSet, isAdopting }: Pick<MemberFacts, 'statefulSet' | 'isAdopting'>,
  { name, pod }: EtcdView['members'][number],
): number | undefined {
  if (isAdopting !== true || pod === undefined || pod !== name) return undefined;
  return ordinalAfter(`${statefulSet}-`, pod);
}

/** Lowest ordinal above all members, present and desired: Pods from here on are those of removed members. */
export const firstUnusedOrdinal = (
  { wanted }: Pick<MemberFacts, 'wanted'>,
  { voters, learners }: MemberCluster,
): number =>
  largestOf(
    [...voters, ...learners].map(({ ordinal }) => ordinal + 1),
    wanted,
  );

/** Pods by ordinal. */
export const podsByOrdinal = ({
  pods,
}: Pick<MemberFacts, 'pods'>): ReadonlyMap<number, MemberPod> =>
  firstBy(pods, ({ ordinal }) => ordinal);

/** Pod with an ordinal; undefined if it does not exist. For many ordinals, see `podsByOrdinal`. */
export const podAt = (
  { pods }: Pick<MemberFacts, 'pods'>,
  ordinal: number,
): MemberPod | undefined => pods.find((pod) => pod.ordinal === ordinal);

/** PVC with an ordinal; undefined if it does not exist. */
export const claimAt = (
  { claims }: Pick<MemberFacts, 'claims'>,
  ordinal: number,
): MemberClaim | undefined => claims.find((claim) => claim.ordinal === ordinal);

/** Voters that are not healthy, or that follow another leader. */
export const unhealthy = (
  { view }: Pick<MemberFacts, 'view'>,
  voters: readonly Member[],
): readonly Member[] => {
  const serving = new Set(view.serving);
  return voters.filter((voter) => !serving.has(voter.podName));
};

/**
 * Value of the join annotation of a member: all other members, as the end of `--initial-cluster`. etcd compares the
 * list with the cluster and starts only if both are equal.
 */
export function joinOf(facts: MemberFacts, ordinal: number): string {
  const { voters, learners } = clusterOf(facts);
  return [...voters, ...learners]
    .filter((member) => member.ordinal !== ordinal)
    .flatMap(({ podName: name, peerURLs }) => peerURLs.map((url) => `,${name}=${url}`))
    .join('');
}
