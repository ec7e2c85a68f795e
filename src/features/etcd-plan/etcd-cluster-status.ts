/**
 * `status.etcdCluster`: what the members of a local etcd report about themselves. Pure functions. Values that change all
 * the time are rounded, or are only updated together with another change, so that a healthy etcd causes no writes.
 */
import { isDeepStrictEqual } from 'node:util';
import type { EtcdClusterStatus, EtcdMemberState } from '../../api/karmada.ts';
import type { EtcdMemberFailure, EtcdMemberStatus } from '../../etcd/member-status.ts';
import type { EtcdAlarm, EtcdListedMember } from '../../etcd/messages.ts';
import { roundedSize } from '../../etcd/rounded-size.ts';
import type { EtcdView } from '../../etcd/view.ts';
import { firstBy } from '../../kubernetes/objects/first-by.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { timestamp } from '../status/managed-conditions.ts';

type Seen = Pick<Snapshot, 'etcd' | 'now'> & {
  readonly spec: Pick<Snapshot['spec'], 'components'>;
};

/**
 * Returns the status of a local etcd.
 * @param before status that was written last
 * @returns `before` while nothing else is known; undefined for an external etcd, and until a member has responded
 */
export function etcdClusterStatus(
  { etcd, spec, now }: Seen,
  before: EtcdClusterStatus | undefined,
): EtcdClusterStatus | undefined {
  if (spec.components.etcd.local === undefined) return undefined;
  if (etcd === undefined || isUnknown(etcd)) return before;
  if (before === undefined && etcd.answers.length === 0) return undefined;
  const next = observed(etcd, before, now);
  const isSame = before !== undefined && isDeepStrictEqual(lasting(before), lasting(next));
  return isSame ? before : next;
}

/** Whether no member has been queried, such as right after the start of the operator. */
const isUnknown = ({ answers, silent, unasked }: EtcdView): boolean =>
  answers.length + silent.length === 0 && unasked.length > 0;

/** The part of a status whose change is a reason to write it. */
function lasting({ members, ...cluster }: EtcdClusterStatus): object {
  const stays = members.map((member) => ({ ...member, raftIndex: 0, revision: 0 }));
  return { ...cluster, observedTime: '', members: stays };
}

function observed(
  view: EtcdView,
  before: EtcdClusterStatus | undefined,
  now: number,
): EtcdClusterStatus {
  const said = before?.members ?? [];
  const known = knownOf(view, said, now);
  const members = listed(view, said).map((member) => stateOf(member, known));
  const quorum = quorumOf(view);
  const isHealthy = quorum === 'True' && members.every(isSound);
  return {
    clusterID: clusterOf(view, before),
    quorum,
    leader: leaderOf(view),
    observedTime: timestamp(now),
    members: isHealthy ? members : members.map((member) => withIndexes(member, known)),
  };
}

/** A cluster without a response keeps its ID. */
function clusterOf({ clusters }: EtcdView, before: EtcdClusterStatus | undefined): string {
  const [first, second] = clusters;
  if (second !== undefined) return '';
  return first?.id ?? before?.clusterID ?? '';
}

const leaderOf = ({ splitBrain, leader = '' }: EtcdView): string =>
  splitBrain === undefined ? leader : '';

type Listed = Pick<EtcdListedMember, 'id' | 'name' | 'isLearner'>;

const BY_ORDINAL = new Intl.Collator('en', { numeric: true });

/** Members of the cluster by ordinal: of the member list, otherwise those that responded or were listed before. */
function listed(view: EtcdView, said: readonly EtcdMemberState[]): readonly Listed[] {
  const known = said.map(({ id, name, role }) => ({ id, name, isLearner: role === 'Learner' }));
  const own = view.answers.map(({ pod, memberId, isLearner }) => ({
    id: memberId,
    name: pod,
    isLearner,
  }));
  const lists: readonly (readonly Listed[])[] = [view.members, own, known];
  const list = lists.find(({ length }) => length > 0) ?? [];
  return list.toSorted((one, other) => BY_ORDINAL.compare(one.name, other.name));
}

/** What the state of each member is derived from. */
interface Known {
  readonly isSplit: boolean;
  /** Responses by member, see `answerKey`. */
  readonly answers: ReadonlyMap<string, EtcdMemberStatus>;
  /** Alarms by ID of the member. */
  readonly alarms: ReadonlyMap<string, readonly EtcdAlarm[]>;
  /** Failed probes by Pod. */
  readonly silent: ReadonlyMap<string, EtcdMemberFailure>;
  readonly unasked: ReadonlySet<string>;
  /** States that were written last, by ID of the member. */
  readonly said: ReadonlyMap<string, EtcdMemberState>;
  /** Wall clock in milliseconds. */
  readonly now: number;
}

function knownOf(view: EtcdView, said: readonly EtcdMemberState[], now: number): Known {
  const isSplit = view.splitBrain !== undefined;
  const alarms = view.answers.flatMap((answer) => answer.alarms);
  return {
    isSplit,
    now,
    unasked: new Set(view.unasked),
    said: firstBy(said, ({ id }) => id),
    answers: firstBy(view.answers, ({ memberId, pod }) => answerKey(isSplit, memberId, pod)),
    alarms: Map.groupBy(alarms, ({ memberId }) => memberId),
    silent: firstBy(view.silent, ({ pod }) => pod),
  };
}

/** Members of several clusters may have the same ID. */
const answerKey = (isSplit: boolean, id: string, pod: string): string =>
  isSplit ? JSON.stringify([id, pod]) : id;

function stateOf(member: Listed, known: Known): EtcdMemberState {
  const { id, name } = member;
  const identity = { name, id, role: member.isLearner ? 'Learner' : 'Voter' } as const;
  const answer = answerOf(known, member);
  if (answer !== undefined) return { ...identity, ...factsOf(answer, known) };
  const last = known.said.get(id);
  return { ...identity, ...lastFacts(last), ...silenceOf(name, known, last) };
}

/** Facts of the last response. */
function lastFacts(last: EtcdMemberState | undefined): Pick<EtcdMemberState, 'version' | 'dbSize'> {
  const { version, dbSize } = last ?? {};
  return { ...(version !== undefined && { version }), ...(dbSize !== undefined && { dbSize }) };
}

/** Why a member does not respond, and when it responded last. Its Pod may have ended just now. */
function silenceOf(
  name: string,
  { silent, unasked, now }: Known,
  last: EtcdMemberState | undefined,
): Pick<EtcdMemberState, 'message' | 'lastResponseTime'> {
  const failure = silent.get(name);
  const message = failure?.cause ?? (unasked.has(name) ? 'its Pod is starting' : 'no Pod');
  const respondedAt = failure === undefined ? now : failure.respondedAt;
  const wasHeard = last !== undefined && last.message === undefined;
  const time =
    wasHeard && respondedAt !== undefined ? timestamp(respondedAt) : last?.lastResponseTime;
  return { message, ...(time !== undefined && { lastResponseTime: time }) };
}

const answerOf = (
  { answers, isSplit }: Known,
  { id, name }: Pick<Listed, 'id' | 'name'>,
): EtcdMemberStatus | undefined => answers.get(answerKey(isSplit, id, name));

function factsOf(
  { memberId, version, dbSize }: EtcdMemberStatus,
  known: Known,
): Pick<EtcdMemberState, 'version' | 'dbSize' | 'alarms'> {
  const raised = known.alarms.get(memberId) ?? [];
  const alarms = [...new Set(raised.map(({ alarm }) => alarm))].sort();
  return { version, dbSize: roundedSize(dbSize), ...(alarms.length > 0 && { alarms }) };
}

/** A confirmed response proves a quorum, also if the operator does not reach the other members. */
function quorumOf({ answers, quorum, splitBrain }: EtcdView): EtcdClusterStatus['quorum'] {
  if (answers.length === 0) return 'Unknown';
  const isProven = quorum || answers.some(({ confirmed }) => confirmed);
  return isProven && splitBrain === undefined ? 'True' : 'False';
}

const isSound = ({ role, message, alarms }: EtcdMemberState): boolean =>
  role === 'Voter' && message === undefined && alarms === undefined;

function withIndexes(member: EtcdMemberState, known: Known): EtcdMemberState {
  const answer = answerOf(known, member);
  if (answer === undefined) return member;
  return { ...member, raftIndex: Number(answer.raftIndex), revision: Number(answer.revision) };
}
