/**
 * What the answers of an etcd's members amount to: pure. Pods that are ready may belong to different clusters behind one
 * Service; only the members themselves can tell.
 */
import {
  isAnswer,
  NO_LEADER,
  type EtcdMemberAnswer,
  type EtcdResult,
  type EtcdSilence,
} from './answer.ts';
import type { EtcdListedMember } from './messages.ts';
import { clustersOf, groupedBy, splitOf, type EtcdCluster, type EtcdSplit } from './split-brain.ts';

/** A pod of etcd. */
export interface EtcdPod {
  readonly name: string;
  readonly uid: string;
}

/** A member as the cluster's list has it. */
interface EtcdViewMember extends EtcdListedMember {
  /** The pod that runs it; absent when no pod answered as this member. */
  readonly pod?: string;
}

export interface EtcdView {
  /** Answers that count: of pods that are there, and not too old. */
  readonly answers: readonly EtcdMemberAnswer[];
  readonly silent: readonly EtcdSilence[];
  /** Pods of which nothing is known yet. */
  readonly unasked: readonly string[];
  /** Clusters of the pods that answered, the largest first. */
  readonly clusters: readonly EtcdCluster[];
  /** The list of members of the one cluster; empty when it is unknown, or there are several clusters. */
  readonly members: readonly EtcdViewMember[];
  /** Pods of voters that follow the cluster's leader and have a quorum; empty when there are several clusters. */
  readonly serving: readonly string[];
  /** Whether most of the voters serve. */
  readonly quorum: boolean;
  /** Pod of the leader, as most of the answers have it. */
  readonly leader?: string;
  /** Present when the members are not of one cluster. */
  readonly splitBrain?: EtcdSplit;
}

/** Older answers do not count, in milliseconds: three times the longest pause between two looks. */
export const OLDEST_ANSWER_MS = 900_000;

const CORRUPT = /\bCORRUPT\b/;

/**
 * @param results what is known of the members, whenever it was learned
 * @param pods pods of etcd that are there
 * @param now wall clock in milliseconds
 */
export function etcdView(
  results: readonly EtcdResult[],
  pods: readonly EtcdPod[],
  now: number,
): EtcdView {
  const known = pods.flatMap((pod) => resultOf(pod, results, now) ?? []);
  const given = known.filter(isAnswer);
  const answers = given.filter((answer) => runsIn(answer, given));
  const silent = [
    ...known.filter((result): result is EtcdSilence => !isAnswer(result)),
    ...given.filter((answer) => !answers.includes(answer)).map(strange),
  ];
  const unasked = pods
    .filter(({ name }) => !known.some((result) => result.pod === name))
    .map(({ name }) => name);
  const clusters = clustersOf(answers);
  const basis = { answers, silent, unasked, clusters };
  const splitBrain = splitOf(answers, clusters);
  if (splitBrain !== undefined)
    return { ...basis, members: [], serving: [], quorum: false, splitBrain };
  return { ...basis, ...membershipOf(answers) };
}

/** The newest that is known of a pod. A result of the future is as good: clocks are put right at times. */
function resultOf(
  { name, uid }: EtcdPod,
  results: readonly EtcdResult[],
  now: number,
): EtcdResult | undefined {
  return results
    .filter(({ pod, podUid, at }) => pod === name && podUid === uid && now - at <= OLDEST_ANSWER_MS)
    .sort((a, b) => b.at - a.at)[0];
}

/** Whether the answer is that of the pod's own member: an address may belong to another pod by now. */
function runsIn({ pod, memberId }: EtcdMemberAnswer, all: readonly EtcdMemberAnswer[]): boolean {
  const names = all
    .flatMap(({ members }) => members)
    .filter(({ id, name }) => id === memberId && name !== '');
  return names.length === 0 || names.some(({ name }) => name === pod);
}

const strange = ({ pod, podUid, at }: EtcdMemberAnswer): EtcdSilence => ({
  ...{ pod, podUid, at },
  cause: 'another member answers at its address',
});

/** What there is to say of the one cluster. */
function membershipOf(
  answers: readonly EtcdMemberAnswer[],
): Pick<EtcdView, 'members' | 'serving' | 'quorum' | 'leader'> {
  const members = listOf(answers).map((member): EtcdViewMember => {
    const pod = answers.find(({ memberId }) => memberId === member.id)?.pod;
    return { ...member, ...(pod !== undefined && { pod }) };
  });
  const led = answers.filter(({ leaderId }) => leaderId !== NO_LEADER);
  const [leaderId] = groupedBy(led, (answer) => answer.leaderId)[0] ?? [];
  const voters = members.filter(({ isLearner }) => !isLearner);
  const serving = answers
    .filter((answer) => answer.leaderId === leaderId && isSound(answer))
    .filter(({ memberId }) => voters.some(({ id }) => id === memberId))
    .map(({ pod }) => pod)
    .sort();
  const leader = members.find(({ id }) => id === leaderId)?.pod;
  const quorum = voters.length > 0 && serving.length >= majorityOf(voters.length);
  return { members, serving, quorum, ...(leader !== undefined && { leader }) };
}

/** How many of so many voters decide. */
export const majorityOf = (voters: number): number => Math.floor(voters / 2) + 1;

/** An alarm for lack of space takes nothing from reads, or from the member's vote. */
const isSound = ({ confirmed, isLearner, errors }: EtcdMemberAnswer): boolean =>
  confirmed && !isLearner && !errors.some((error) => CORRUPT.test(error));

/** The list of whoever is the furthest: a member that lags behind has an older one. */
function listOf(answers: readonly EtcdMemberAnswer[]): readonly EtcdListedMember[] {
  const rank = ({ confirmed, raftIndex }: EtcdMemberAnswer): bigint =>
    BigInt(raftIndex) + (confirmed ? 1n << 64n : 0n);
  const lists = answers.filter(({ members }) => members.length > 0);
  const first = lists.reduce<EtcdMemberAnswer | undefined>(
    (best, answer) => (best === undefined || rank(answer) > rank(best) ? answer : best),
    undefined,
  );
  return first?.members ?? [];
}

/** A view of an etcd without pods. */
export const NOTHING_SEEN: EtcdView = etcdView([], [], 0);
