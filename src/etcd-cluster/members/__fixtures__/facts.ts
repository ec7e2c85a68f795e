/** Facts about the members of an etcd for tests of single rules: a healthy cluster, apart from what a test names. */
import { answerOf, AT, podOf } from '../../../etcd/__fixtures__/answers.ts';
import type { EtcdMemberStatus } from '../../../etcd/member-status.ts';
import type { EtcdListedMember } from '../../../etcd/messages.ts';
import { etcdView, type EtcdView } from '../../../etcd/view.ts';
import { peerURL, podName, type MemberClaim, type MemberFacts, type MemberPod } from '../facts.ts';

const SET = { statefulSet: 'demo-etcd', domain: 'demo-etcd.team.svc.cluster.local' };

/** Name of the Pod with an ordinal. */
export const nameOf = (ordinal: number): string => podName(SET, ordinal);

/** Hexadecimal ID of the member with an ordinal. */
export const memberId = (ordinal: number): string => (0xa0 + ordinal).toString(16);

/** The part of the join annotation that names a member. */
export const joinEntry = (ordinal: number): string =>
  `,${nameOf(ordinal)}=${peerURL(SET, ordinal)}`;

/** Differences from healthy members. */
export interface Given extends Partial<Omit<MemberFacts, 'view' | 'pods' | 'claims'>> {
  /** Ordinals of the voters. Defaults to 0, 1, 2. */
  readonly voters?: readonly number[];
  readonly learner?: GivenLearner;
  /** Ordinals without a response. */
  readonly silent?: readonly number[];
  /** Ordinal of the leader. Defaults to 0. */
  readonly leader?: number;
  /** Members in the list that are no Pod of the StatefulSet. */
  readonly strangers?: readonly EtcdListedMember[];
  /** Differences of Pods by ordinal; undefined for a Pod that does not exist. */
  readonly pods?: Readonly<Record<number, Partial<MemberPod> | undefined>>;
  /** Differences of PVCs by ordinal; undefined for a PVC that does not exist. */
  readonly claims?: Readonly<Record<number, Partial<MemberClaim> | undefined>>;
  /** Differences of responses by ordinal. */
  readonly answers?: Readonly<Record<number, Partial<EtcdMemberStatus>>>;
  /** Whether etcd lists the members in the opposite order. */
  readonly isReversed?: boolean;
  /** Differences of the view. */
  readonly view?: Partial<EtcdView>;
}

interface GivenLearner {
  readonly ordinal: number;
  /** Whether it has never started, so that its name is unknown. */
  readonly isNew?: boolean;
}

/** Creates facts. PVCs of members have data of this cluster; others are new. */
export function factsWith(given: Given = {}): MemberFacts {
  const { voters = [0, 1, 2], learner, silent, leader, strangers, answers, isReversed } = given;
  const { pods: podChanges = {}, claims: claimChanges = {}, view, ...more } = given;
  const { replicas = voters.length } = given;
  const ordinals = [...range(replicas), ...Object.keys({ ...podChanges, ...claimChanges })];
  const named = [...new Set(ordinals.map(Number))];
  const pods = named.flatMap((ordinal) => podWith(ordinal, replicas, podChanges));
  const used = [...voters, ...(learner && learner.isNew !== true ? [learner.ordinal] : [])];
  const claims = named.flatMap((ordinal) => claimWith(ordinal, { replicas, used, claimChanges }));
  const seen = { voters, learner, silent, leader, strangers, answers, isReversed };
  return {
    ...SET,
    wanted: voters.length,
    replicas,
    isFormed: true,
    templateCanJoin: true,
    excludesUnready: true,
    storage: 'volumeClaim',
    deletesClaims: false,
    graceMs: 600_000,
    now: AT,
    ...onlyFacts(more),
    pods,
    claims,
    view: { ...viewWith(seen, pods), ...view },
  };
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

const FACTS = ['wanted', 'isFormed', 'templateCanJoin', 'excludesUnready', 'cannotGrow'] as const;
const MORE_FACTS = ['storage', 'deletesClaims', 'graceMs', 'now', 'statefulSet', 'domain'] as const;

/** The fields that are facts already. */
function onlyFacts(given: Partial<MemberFacts>): Partial<MemberFacts> {
  const fields: readonly string[] = [...FACTS, ...MORE_FACTS];
  return Object.fromEntries(Object.entries(given).filter(([field]) => fields.includes(field)));
}

function podWith(
  ordinal: number,
  replicas: number,
  changes: NonNullable<Given['pods']>,
): readonly MemberPod[] {
  const isMissing = ordinal in changes ? changes[ordinal] === undefined : ordinal >= replicas;
  if (isMissing) return [];
  const name = nameOf(ordinal);
  return [
    {
      ordinal,
      name,
      uid: podOf(name).uid,
      isScheduled: true,
      isTerminating: false,
      isPaused: false,
      canJoin: true,
      hasLostData: false,
      isBackingOff: false,
      wasMember: false,
      ...changes[ordinal],
    },
  ];
}

interface ClaimInput {
  readonly replicas: number;
  /** Ordinals of the members with data. */
  readonly used: readonly number[];
  readonly claimChanges: NonNullable<Given['claims']>;
}

function claimWith(
  ordinal: number,
  { replicas, used, claimChanges }: ClaimInput,
): readonly MemberClaim[] {
  const isChanged = ordinal in claimChanges;
  if (isChanged ? claimChanges[ordinal] === undefined : ordinal >= replicas) return [];
  const isUsed = used.includes(ordinal);
  const name = `etcd-data-${nameOf(ordinal)}`;
  return [
    {
      ordinal,
      name,
      uid: `uid-${name}`,
      isTerminating: false,
      isPaused: false,
      isUnbound: !isUsed,
      content: isUsed ? 'thisCluster' : 'unknown',
      ...claimChanges[ordinal],
    },
  ];
}

type Seen = {
  readonly [K in 'learner' | 'silent' | 'leader' | 'strangers' | 'answers' | 'isReversed']:
    Given[K] | undefined;
} & { readonly voters: readonly number[] };

function viewWith(seen: Seen, pods: readonly MemberPod[]): EtcdView {
  const { voters, learner, silent = [], leader = 0, strangers = [], answers = {} } = seen;
  const list = [
    ...voters.map((ordinal) => listed(ordinal)),
    ...(learner ? [listed(learner.ordinal, learner)] : []),
    ...strangers,
  ];
  const members = seen.isReversed === true ? list.reverse() : list;
  const living = pods.filter(({ isTerminating }) => !isTerminating);
  const started = [...voters, ...(learner && learner.isNew !== true ? [learner.ordinal] : [])];
  const results = living
    .filter(({ ordinal }) => started.includes(ordinal) && !silent.includes(ordinal))
    .map(({ ordinal, name }) => {
      const isLearner = ordinal === learner?.ordinal;
      return answerOf(name, [], {
        memberId: memberId(ordinal),
        leaderId: memberId(leader),
        isLearner,
        confirmed: !isLearner,
        members: isLearner ? [] : members,
        ...answers[ordinal],
      });
    });
  return etcdView(results, living, AT);
}

const listed = (ordinal: number, learner?: GivenLearner): EtcdListedMember => ({
  id: memberId(ordinal),
  name: learner?.isNew === true ? '' : nameOf(ordinal),
  peerURLs: [peerURL(SET, ordinal)],
  isLearner: learner !== undefined,
});
