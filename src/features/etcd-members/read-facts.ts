/** Derives what happens to the members of an etcd from the cached facts about them: pure. */
import type { Problem } from '../../api/reasons/problem.ts';
import type { PeerScheme } from '../../components/etcd/peer-flags.ts';
import type { MemberFacts } from '../../etcd-cluster/members/facts.ts';
import { templateScheme } from '../../etcd-cluster/members/peer-tls.ts';
import type { MemberStep } from '../../etcd-cluster/members/step.ts';
import { isDurable, specOf } from '../../etcd-cluster/pods/stateful-set.ts';
import { adoptedStep } from '../adoption/adopted-etcd.ts';
import { etcdWorkload } from '../etcd-storage/plan-etcd.ts';
import { keptGoWorkload } from './adopt-etcd.ts';
import { cachedFacts, type Cached } from './member-facts.ts';
import { nextStep } from './next-step.ts';

/** Returns the next change of the members, from the cache. @returns `none` for an external or missing etcd */
export function memberStep(subject: Cached): MemberStep {
  return subject.memberStep ?? deriveStep(subject);
}

/** Derives the next change of the members once for all users of the snapshot. */
export const withMemberStep = <T extends Cached>(subject: T): T => ({
  ...subject,
  memberStep: deriveStep(subject),
});

function deriveStep(subject: Cached): MemberStep {
  const adopted = keptGoWorkload(subject);
  if (adopted !== undefined && subject.etcdBootstrap?.recovery === undefined)
    return adoptedStep(adopted, subject.spec);
  const facts = changeableFacts(subject);
  return facts === undefined ? { kind: 'none' } : nextStep(facts);
}

/** Returns the facts about an etcd whose members the operator changes. */
export function changeableFacts(subject: Cached): MemberFacts | undefined {
  const isRecovered = subject.etcdBootstrap?.recovery !== undefined;
  return isRecovered || keptGoWorkload(subject) ? undefined : cachedFacts(subject);
}

/** Returns why a member is down that does not return by itself; its Pod tells only that it does not run. */
export function memberDown(subject: Cached): Problem | undefined {
  const step = memberStep(subject);
  if (step.kind !== 'wait' || step.dueAt === undefined) return undefined;
  return { reason: 'EtcdMemberDown', message: step.message };
}

/** Members that a set needs to keep its data while one of them is replaced. */
const REPLACEABLE = 3;

/**
 * Whether the operator replaces a member that loses its data, so that the Pod of a member with an emptyDir may be
 * restarted.
 */
export function replacesMembers(subject: Cached): boolean {
  const facts = cachedFacts(subject);
  if (facts === undefined) return false;
  // Without the recorded holders of the data a lost member is not recognized.
  const isKnown = facts.pods.every(({ wasMember }) => wasMember);
  return (
    facts.isFormed && facts.replicas >= REPLACEABLE && facts.cannotGrow === undefined && isKnown
  );
}

/** Scheme of the peer listener for the Pod template. @returns undefined for an external or missing etcd */
export function peersOf(subject: Cached): PeerScheme | undefined {
  const facts = cachedFacts(subject);
  return facts && templateScheme(facts, keepsData(subject));
}

/** Whether the data of a running member survives its restart: in its volume, or in the other members. */
export function keepsData(subject: Cached): boolean {
  const statefulSet = etcdWorkload(subject);
  return statefulSet !== undefined && (isDurable(specOf(statefulSet)) || replacesMembers(subject));
}
