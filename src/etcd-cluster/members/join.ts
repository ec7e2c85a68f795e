/** Rules for a member that joins: it gets no vote before it has the data. Pure. */
import { majorityOf } from '../../etcd/view.ts';
import { firstBy } from '../../kubernetes/objects/first-by.ts';
import type { EtcdMemberStatus } from '../../etcd/member-status.ts';
import { claimAt, clusterOf, joinOf, podAt, unhealthy, type Member } from './cluster.ts';
import type { MemberFacts, MemberPod } from './facts.ts';
import { isReplaceable } from './replace.ts';
import type { MemberStep, Rule } from './step.ts';

/**
 * Log entries that a learner may lack when it gets its vote. etcd itself accepts 10 % of the log, and writes could
 * wait for the rest.
 */
const LARGEST_GAP = 100n;

const waiting = (message: string): MemberStep => ({ kind: 'wait', message, isJoining: true });

/** Ends the permission to join of a Pod whose member has started, or is not in the cluster. */
export const revokeJoin: Rule = (facts) => {
  const { voters, learners } = clusterOf(facts);
  const members = firstBy([...voters, ...learners], ({ ordinal }) => ordinal);
  const memberOf = ({ ordinal }: MemberPod): Member | undefined => members.get(ordinal);
  const pod = facts.pods.find((one) => (one.join ?? '') !== '' && memberOf(one)?.name !== '');
  if (pod === undefined) return undefined;
  const message =
    memberOf(pod) === undefined
      ? `etcd: ${pod.name} is no member of the cluster and may not join it any more`
      : `etcd: ${pod.name} has joined the cluster`;
  return { kind: 'endJoin', pod, message };
};

/** Completes or withdraws a learner before any other change. */
export const finishJoin: Rule = (facts) => {
  const [learner] = clusterOf(facts).learners;
  if (learner === undefined) return undefined;
  const pod = podAt(facts, learner.ordinal);
  const withdrawn = withdraw(facts, learner, pod);
  if (withdrawn !== undefined) return withdrawn;
  if (learner.ordinal >= facts.replicas) return scaleFor(learner);
  if (pod === undefined || pod.isTerminating)
    return waiting(`etcd: learner ${learner.podName} waits for its Pod`);
  return learner.name === '' ? startLearner(facts, learner, pod) : promote(facts, learner);
};

/** Removes a learner that is not desired any more, or that cannot start with its data. It has no vote, so nothing depends on it. */
function withdraw(
  facts: MemberFacts,
  learner: Member,
  pod: MemberPod | undefined,
): MemberStep | undefined {
  const why = withdrawal(facts, learner, pod);
  if (why === undefined) return undefined;
  const { id, podName } = learner;
  return {
    kind: 'removeMember',
    memberId: id,
    message: `etcd: learner ${podName} is removed, because ${why}`,
  };
}

/** Why a learner leaves; completes a sentence after "because". */
function withdrawal(
  facts: MemberFacts,
  { name, ordinal }: Member,
  pod: MemberPod | undefined,
): string | undefined {
  if (ordinal >= facts.wanted) return 'it exceeds the desired number of members';
  if (name !== '' && pod?.hasLostData === true) return 'it lost its data';
  return pod && isReplaceable(facts, pod) ? pod.defect : undefined;
}

const scaleFor = ({ ordinal, podName }: Member): MemberStep => ({
  kind: 'scale',
  replicas: ordinal + 1,
  message: `etcd: learner ${podName} gets a Pod`,
});

function startLearner(facts: MemberFacts, learner: Member, pod: MemberPod): MemberStep {
  const join = joinOf(facts, learner.ordinal);
  if (pod.join === join) return waiting(`etcd: learner ${learner.podName} starts`);
  const claim = claimAt(facts, learner.ordinal);
  if (facts.storage === 'volumeClaim' && claim === undefined)
    return waiting(`etcd: learner ${learner.podName} waits for its PersistentVolumeClaim`);
  return {
    kind: 'allowJoin',
    pod,
    join,
    members: Math.max(facts.replicas, learner.ordinal + 1),
    ...(facts.storage === 'volumeClaim' && claim && { claim }),
    message: `etcd: learner ${learner.podName} joins the cluster`,
  };
}

function promote(facts: MemberFacts, learner: Member): MemberStep {
  const { voters } = clusterOf(facts);
  const { podName } = learner;
  const unsound = unhealthy(facts, voters);
  // With its vote the learner counts as healthy; the others must not lose the quorum by it.
  if (voters.length - unsound.length + 1 < majorityOf(voters.length + 1))
    return waiting(
      `etcd: learner ${podName} gets no vote while ${unsound.map((one) => one.podName).join(', ')} is not healthy`,
    );
  const answers = facts.view.answers.filter(({ errors }) =>
    errors.every((error) => !/no leader/.test(error)),
  );
  const own = answers.find(({ memberId }) => memberId === learner.id);
  // A former leader may still report itself.
  const leader = answers.find(
    ({ pod, memberId, leaderId }) => pod === facts.view.leader && memberId === leaderId,
  );
  if (own === undefined || leader === undefined)
    return waiting(`etcd: learner ${podName} does not respond yet`);
  if (gap(leader, own) > LARGEST_GAP) return waiting(`etcd: learner ${podName} receives the data`);
  return {
    kind: 'promote',
    memberId: learner.id,
    message: `etcd: learner ${podName} has the data and becomes a voting member`,
  };
}

const gap = (leader: EtcdMemberStatus, learner: EtcdMemberStatus): bigint =>
  BigInt(leader.raftIndex) - BigInt(learner.raftIndex);
