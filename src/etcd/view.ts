/**
 * Pure functions that combine the probe results of all etcd members into one view. Ready Pods behind one Service may
 * belong to different etcd clusters, and only the members themselves report that.
 */
import { firstBy } from '../kubernetes/objects/first-by.ts';
import {
  isAnswer,
  NO_LEADER,
  type EtcdMemberStatus,
  type EtcdResult,
  type EtcdMemberFailure,
} from './member-status.ts';
import type { EtcdListedMember } from './messages.ts';
import { clustersOf, groupedBy, splitOf, type EtcdCluster, type EtcdSplit } from './split-brain.ts';

/** An etcd Pod. */
export interface EtcdPod {
  readonly name: string;
  readonly uid: string;
}

/** An entry of the member list with its Pod. */
interface EtcdViewMember extends EtcdListedMember {
  /** Pod that runs the member; absent when no Pod responded as this member. */
  readonly pod?: string;
}

/** State of the etcd of one control plane. */
export interface EtcdView {
  /** Valid responses: from existing Pods, and not too old. */
  readonly answers: readonly EtcdMemberStatus[];
  /** Failed probes of existing Pods. */
  readonly silent: readonly EtcdMemberFailure[];
  /** Pods without a probe result. */
  readonly unasked: readonly string[];
  /** Clusters of the members that responded, the largest first. */
  readonly clusters: readonly EtcdCluster[];
  /** Member list of the cluster; empty when it is unknown or there are several clusters. */
  readonly members: readonly EtcdViewMember[];
  /** Members without a vote. */
  readonly learners: readonly EtcdViewMember[];
  /** Pods of healthy voters that follow the leader; empty when there are several clusters. */
  readonly serving: readonly string[];
  /** Whether a majority of the voters is healthy. */
  readonly quorum: boolean;
  /** Pod of the leader that most members report. */
  readonly leader?: string;
  /** Set when the members do not form one cluster. */
  readonly splitBrain?: EtcdSplit;
}

/** Maximum age of a result in milliseconds: three times the longest pause between two probes. */
export const OLDEST_ANSWER_MS = 180_000;

const CORRUPT = /\bCORRUPT\b/;

/**
 * Combines probe results into a view of etcd.
 * @param results of the members, of any age
 * @param pods existing etcd Pods
 * @param now wall clock in milliseconds
 */
export function etcdView(
  results: readonly EtcdResult[],
  pods: readonly EtcdPod[],
  now: number,
): EtcdView {
  const newest = newestResults(results, now);
  const known = pods.flatMap((pod) => newest.get(resultKey(pod.name, pod.uid)) ?? []);
  const given = known.filter(isAnswer);
  const names = namesById(given);
  const answers = given.filter((answer) => runsIn(answer, names));
  const silent = [
    ...known.filter((result): result is EtcdMemberFailure => !isAnswer(result)),
    ...given.filter((answer) => !runsIn(answer, names)).map(strange),
  ];
  const asked = new Set(known.map(({ pod }) => pod));
  const unasked = pods.map(({ name }) => name).filter((name) => !asked.has(name));
  const clusters = clustersOf(answers);
  const basis = { answers, silent, unasked, clusters };
  const splitBrain = splitOf(answers, clusters);
  if (splitBrain !== undefined)
    return { ...basis, members: [], learners: [], serving: [], quorum: false, splitBrain };
  return { ...basis, ...membershipOf(answers) };
}

/** Newest result of each Pod. A result with a future time counts, too, because a clock may have been corrected since. */
function newestResults(
  results: readonly EtcdResult[],
  now: number,
): ReadonlyMap<string, EtcdResult> {
  const newest = new Map<string, EtcdResult>();
  for (const result of results) {
    const key = resultKey(result.pod, result.podUid);
    const { at = -Infinity } = newest.get(key) ?? {};
    if (now - result.at <= OLDEST_ANSWER_MS && result.at > at) newest.set(key, result);
  }
  return newest;
}

const resultKey = (pod: string, uid: string): string => JSON.stringify([pod, uid]);

/** Names of each member in all member lists, without those of members that never started. */
function namesById(answers: readonly EtcdMemberStatus[]): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const { id, name } of answers.flatMap(({ members }) => members)) {
    if (name === '') continue;
    const known = names.get(id);
    if (known === undefined) names.set(id, new Set([name]));
    else known.add(name);
  }
  return names;
}

/** Whether the member of this Pod responded. The address may belong to another Pod by now. */
const runsIn = (
  { pod, memberId }: EtcdMemberStatus,
  names: ReadonlyMap<string, ReadonlySet<string>>,
): boolean => names.get(memberId)?.has(pod) ?? true;

const strange = ({ pod, podUid, podReady, at }: EtcdMemberStatus): EtcdMemberFailure => ({
  pod,
  podUid,
  at,
  ...(podReady !== undefined && { podReady }),
  cause: 'another etcd member responds at the address of this Pod',
});

/** Members, healthy Pods, quorum and leader of a single cluster. */
function membershipOf(
  answers: readonly EtcdMemberStatus[],
): Pick<EtcdView, 'members' | 'learners' | 'serving' | 'quorum' | 'leader'> {
  const byId = firstBy(answers, ({ memberId }) => memberId);
  const members = listOf(answers).map((member): EtcdViewMember => {
    const pod = byId.get(member.id)?.pod;
    return { ...member, ...(pod !== undefined && { pod }) };
  });
  const led = answers.filter(({ leaderId }) => leaderId !== NO_LEADER);
  const [leaderId] = groupedBy(led, (answer) => answer.leaderId)[0] ?? [];
  const voters = votersOf(members);
  const votes = new Set(voters.map(({ id }) => id));
  const learners = members.filter(({ isLearner }) => isLearner);
  const serving = answers
    .filter((answer) => answer.leaderId === leaderId && isSound(answer))
    .filter(({ memberId }) => votes.has(memberId))
    .map(({ pod }) => pod)
    .sort();
  const leader = members.find(({ id }) => id === leaderId)?.pod;
  const quorum = voters.length > 0 && serving.length >= majorityOf(voters.length);
  return { members, learners, serving, quorum, ...(leader !== undefined && { leader }) };
}

/** Members with a vote. */
export const votersOf = <M extends Pick<EtcdListedMember, 'isLearner'>>(
  members: readonly M[],
): readonly M[] => members.filter(({ isLearner }) => !isLearner);

/** Number of voters that form a quorum. */
export const majorityOf = (voters: number): number => Math.floor(voters / 2) + 1;

/** Whether a member counts as healthy. A NOSPACE alarm affects neither reads nor the vote of a member. */
const isSound = ({ confirmed, isLearner, errors }: EtcdMemberStatus): boolean =>
  confirmed && !isLearner && !errors.some((error) => CORRUPT.test(error));

/** Member list of the most advanced member. A member that lags behind has an older list. */
function listOf(answers: readonly EtcdMemberStatus[]): readonly EtcdListedMember[] {
  const rank = ({ confirmed, raftIndex }: EtcdMemberStatus): bigint =>
    BigInt(raftIndex) + (confirmed ? 1n << 64n : 0n);
  const lists = answers.filter(({ members }) => members.length > 0);
  const first = lists.reduce<EtcdMemberStatus | undefined>(
    (best, answer) => (best === undefined || rank(answer) > rank(best) ? answer : best),
    undefined,
  );
  return first?.members ?? [];
}

/** View of an etcd without Pods. */
export const NOTHING_SEEN: EtcdView = etcdView([], [], 0);
