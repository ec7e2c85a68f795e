/**
 * Decides the next change of the members of an etcd: pure. One step at a time, from facts only, so that it continues
 * after a crash at any point.
 */
import { PAUSE_REPAIR } from '../../instance/pause.ts';
import { securePeers } from '../../etcd-cluster/members/peer-tls.ts';
import { clusterOf } from '../../etcd-cluster/members/cluster.ts';
import type { MemberFacts } from '../../etcd-cluster/members/facts.ts';
import { finishJoin, revokeJoin } from '../../etcd-cluster/members/join.ts';
import { grow } from '../../etcd-cluster/members/grow.ts';
import { relocateSingle } from '../../etcd-cluster/members/relocate.ts';
import { removeLost, shrink } from '../../etcd-cluster/members/remove.ts';
import { replaceDefective } from '../../etcd-cluster/members/replace.ts';
import { wait, type MemberStep, type Rule } from '../../etcd-cluster/members/step.ts';

/** A cluster that is not recorded may still be started again without data. */
const untilFormed: Rule = ({ isFormed, replicas, wanted }) => {
  if (isFormed) return undefined;
  return replicas === wanted
    ? { kind: 'none' }
    : wait('etcd: the members have not formed their cluster yet');
};

/** Without a quorum the member list may be outdated, and etcd accepts no change. */
const withQuorum: Rule = ({ view, replicas, wanted }) => {
  if (view.splitBrain !== undefined) return { kind: 'blocked', ...view.splitBrain };
  if (view.quorum) return undefined;
  return replicas === wanted
    ? { kind: 'none' }
    : wait('etcd: no quorum of healthy members is known');
};

/** A member that no Pod can have is not the operator's to change. */
const onlyOwnMembers: Rule = (facts) => {
  const { strangers } = clusterOf(facts);
  if (strangers.length === 0) return undefined;
  const named = strangers.map(({ id, peerURLs }) => `${id} (${peerURLs.join(', ')})`).join(', ');
  return {
    kind: 'blocked',
    reason: 'EtcdMembersBlocked',
    message: `etcd: member ${named} belongs to no Pod of this control plane, so the operator changes no member; restore its peer URL, or end its membership, with etcdctl`,
  };
};

/** Conditions for any change. The correction of a peer URL comes before the check that it enables. */
const CONDITIONS: readonly Rule[] = [untilFormed, withQuorum, relocateSingle, onlyOwnMembers];

const CHANGES: readonly Rule[] = [
  revokeJoin,
  // A lost voter would block the promotion of a learner.
  removeLost,
  replaceDefective,
  finishJoin,
  securePeers,
  // A member is replaced before another one leaves, so that enough members remain.
  grow,
  shrink,
];

/** Returns the next step. A change that must wait does not delay those after it, unless a member is joining. */
export function nextStep(facts: MemberFacts): MemberStep {
  const refusal = first(CONDITIONS, facts, () => true);
  if (refusal !== undefined) return refusal;
  const isFinal = (step: MemberStep): boolean => step.kind !== 'wait' || step.isJoining;
  const step = first(CHANGES, facts, isFinal) ?? first(CHANGES, facts, () => true);
  return step === undefined ? { kind: 'none' } : unlessPaused(step);
}

/** A Pod or PVC whose repair is paused is neither changed nor deleted. */
function unlessPaused(step: MemberStep): MemberStep {
  const pod = 'pod' in step && step.pod !== undefined ? [step.pod] : [];
  const claim = 'claim' in step && step.claim !== undefined ? [step.claim] : [];
  const [paused] = [...pod, ...claim].filter(({ isPaused }) => isPaused);
  if (paused === undefined) return step;
  return {
    kind: 'blocked',
    reason: 'RepairPaused',
    message: `etcd: the members do not change, because of the annotation ${PAUSE_REPAIR}=true of ${paused.name}; without the annotation the operator continues`,
  };
}

function first(
  rules: readonly Rule[],
  facts: MemberFacts,
  counts: (step: MemberStep) => boolean,
): MemberStep | undefined {
  for (const rule of rules) {
    const step = rule(facts);
    if (step !== undefined && counts(step)) return step;
  }
  return undefined;
}
