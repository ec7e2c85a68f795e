/**
 * Rules for a voter that is down and cannot start again with its data: it is replaced after a grace period. Pure. A
 * member that merely restarts, or whose node is not ready, has no defect and stays.
 */
import { claimAt, clusterOf, podsByOrdinal, unhealthy, type Member } from './cluster.ts';
import type { MemberFacts, MemberPod } from './facts.ts';
import { lacksOthers } from './remove.ts';
import { wait, waitUntil, type MemberStep, type Rule } from './step.ts';

/** End of the grace period; Infinity for a Pod that is ready or without a defect. */
const dueAt = ({ graceMs }: MemberFacts, { downSince = Infinity, defect }: MemberPod): number =>
  defect === undefined ? Infinity : downSince + graceMs;

/** Whether the grace period of a Pod with a defect has ended. */
export const isReplaceable = (facts: MemberFacts, pod: MemberPod): boolean =>
  dueAt(facts, pod) <= facts.now;

interface Down {
  readonly member: Member;
  readonly pod: MemberPod;
}

/**
 * Removes a voter with a defect after the grace period, which ends first for the one that has been down for longest.
 * The data of the others is complete, because they form a quorum.
 */
export const replaceDefective: Rule = (facts) => {
  const { voters } = clusterOf(facts);
  const pods = podsByOrdinal(facts);
  const down = unhealthy(facts, voters).flatMap((member): readonly Down[] => {
    const pod = pods.get(member.ordinal);
    return pod?.downSince === undefined ? [] : [{ member, pod }];
  });
  const [first] = down
    .filter(({ pod }) => pod.defect !== undefined)
    .sort((one, other) => dueAt(facts, one.pod) - dueAt(facts, other.pod));
  if (first !== undefined) return replace(facts, voters, first);
  const away = down.find(({ pod }) => pod.unreadyNode !== undefined);
  return away && waitUntil(Infinity, awayText(away.pod));
};

function replace(facts: MemberFacts, voters: readonly Member[], { member, pod }: Down): MemberStep {
  const { defect = '' } = pod;
  const due = dueAt(facts, pod);
  if (due > facts.now)
    return waitUntil(
      due,
      `etcd: ${pod.name} is replaced at ${new Date(due).toISOString()} unless it recovers, because ${defect} (spec.components.etcd.local.replacementGracePeriod)`,
    );
  if (facts.cannotGrow !== undefined) return { kind: 'blocked', ...facts.cannotGrow };
  const others = voters.filter((voter) => voter !== member);
  const refusal = lacksOthers(facts, others, member);
  if (refusal !== undefined) return wait(refusal);
  const claim = claimAt(facts, member.ordinal);
  return {
    kind: 'removeMember',
    memberId: member.id,
    pod,
    ...(claim && { claim }),
    message: `etcd: ${pod.name} is replaced by a new member, because ${defect}`,
  };
}

const awayText = ({ name, unreadyNode = '' }: MemberPod): string =>
  `etcd: ${name} is down, because its Node ${unreadyNode} is not ready; the member stays, since the node may return with its data; repair the node, or if it is permanently lost, delete the Node object, or shut the machine down and taint the Node with node.kubernetes.io/out-of-service=nodeshutdown:NoExecute: then the operator replaces the member after spec.components.etcd.local.replacementGracePeriod`;
