/** Rules for a member that leaves: a quorum of the others is proven first, and the leader is moved. Pure. */
import { majorityOf } from '../../etcd/view.ts';
import { clusterOf, firstUnusedOrdinal, podsByOrdinal, unhealthy, type Member } from './cluster.ts';
import { podName, type MemberClaim, type MemberFacts, type MemberPod } from './facts.ts';
import { wait, type MemberStep, type Rule } from './step.ts';

/**
 * Removes a voter that lost its data. It must not vote again under its ID: it would confirm entries that it does not
 * have.
 */
export const removeLost: Rule = (facts) => {
  const { voters } = clusterOf(facts);
  const pods = podsByOrdinal(facts);
  const lost = voters.find(({ ordinal }) => pods.get(ordinal)?.hasLostData === true);
  if (lost === undefined) return undefined;
  if (facts.cannotGrow !== undefined) return { kind: 'blocked', ...facts.cannotGrow };
  const others = voters.filter((voter) => voter !== lost);
  const refusal = lacksOthers(facts, others, lost);
  if (refusal !== undefined) return wait(refusal);
  return {
    kind: 'removeMember',
    memberId: lost.id,
    message: `etcd: ${lost.podName} lost its data and is replaced by a new member`,
  };
};

/**
 * Why a member must stay. The others have to form a quorum without it. A healthy member leaves only if all others are
 * healthy, since it is needed otherwise.
 */
export function lacksOthers(
  facts: MemberFacts,
  others: readonly Member[],
  leaving: Member,
): string | undefined {
  const unsound = unhealthy(facts, others).map((member) => member.podName);
  const healthy = others.length - unsound.length;
  const isNeeded = unsound.length > 0 && facts.view.serving.includes(leaving.podName);
  const hasQuorum = others.length > 0 && healthy >= majorityOf(others.length);
  if (hasQuorum && !isNeeded) {
    // Only the leader changes the members, and it must not be the one that leaves.
    if (facts.view.leader !== undefined) return undefined;
    return `etcd: ${leaving.podName} is not removed, because the leader does not respond`;
  }
  const why = unsound.length === 0 ? 'it is the only one' : `${unsound.join(', ')} is not healthy`;
  return `etcd: ${leaving.podName} is not removed, because ${why}`;
}

/** Removes the member with the highest ordinal, then its Pod, then its PVC. */
export const shrink: Rule = (facts) => {
  const cluster = clusterOf(facts);
  const { voters } = cluster;
  const { replicas } = facts;
  const surplus = leavingFirst(facts, voters);
  if (surplus !== undefined) return removeSurplus(facts, voters, surplus);
  const needed = firstUnusedOrdinal(facts, cluster);
  const unused = unusedClaim(facts, needed);
  if (unused !== undefined)
    return {
      kind: 'deleteClaim',
      claim: unused,
      message: `etcd: PersistentVolumeClaim ${unused.name} was never used and is deleted`,
    };
  if (replicas > needed)
    return (
      untilExcluded(facts, needed) ?? {
        kind: 'scale',
        replicas: needed,
        message: `etcd: the Pods of removed members are deleted (${String(replicas)} to ${String(needed)})`,
      }
    );
  return deleteLeftClaim(facts);
};

/**
 * Time for which the Pod of a removed member stays after it is not ready any more, in milliseconds. Until every kube-proxy
 * excludes it, an API server may connect to it: to a stopped container, which it notices at once, or to the address of a
 * deleted Pod, which does not respond for the 20 seconds of a connection attempt.
 */
const EXCLUDED_MS = 5_000;

/** Waits until no Service has the Pods of removed members. */
function untilExcluded({ pods, now }: MemberFacts, needed: number): MemberStep | undefined {
  const leaving = pods.filter(({ ordinal, isTerminating }) => ordinal >= needed && !isTerminating);
  const isExcluded = ({ downSince = Infinity }: MemberPod): boolean =>
    now - downSince >= EXCLUDED_MS;
  if (leaving.every(isExcluded)) return undefined;
  const names = leaving.map(({ name }) => name).join(', ');
  return wait(`etcd: Pods of removed members (${names}) stay until Services exclude them`);
}

/** The highest surplus member; one that is not healthy leaves before the others. */
function leavingFirst(facts: MemberFacts, voters: readonly Member[]): Member | undefined {
  const surplus = voters.filter(({ ordinal }) => ordinal >= facts.wanted);
  return unhealthy(facts, surplus).at(-1) ?? surplus.at(-1);
}

function removeSurplus(facts: MemberFacts, voters: readonly Member[], surplus: Member): MemberStep {
  const others = voters.filter((voter) => voter !== surplus);
  const refusal = lacksOthers(facts, others, surplus);
  if (refusal !== undefined) return wait(refusal);
  const { leader } = facts.view;
  const serving = new Set(facts.view.serving);
  const next = others.find((other) => serving.has(other.podName));
  if (leader === surplus.podName && next !== undefined)
    return {
      kind: 'moveLeader',
      from: surplus.podName,
      to: next.id,
      message: `etcd: ${next.podName} becomes the leader, because ${surplus.podName} leaves the cluster`,
    };
  return {
    kind: 'removeMember',
    memberId: surplus.id,
    message: `etcd: ${surplus.podName} leaves the cluster (${String(voters.length)} to ${String(others.length)} voting members)`,
  };
}

/** PVC of a removed member that failed for lack of data, so that the PVC is empty. */
function unusedClaim(facts: MemberFacts, needed: number): MemberClaim | undefined {
  const pods = podsByOrdinal(facts);
  return facts.claims.find(
    ({ ordinal, content, isTerminating }) =>
      ordinal >= needed &&
      content === 'unknown' &&
      !isTerminating &&
      pods.get(ordinal)?.hasLostData === true,
  );
}

/** Deletes the PVC of a removed member, if the Karmada asks for it. The data is known to be of this cluster. */
function deleteLeftClaim(facts: MemberFacts): MemberStep | undefined {
  if (!facts.deletesClaims) return undefined;
  const pods = podsByOrdinal(facts);
  const left = facts.claims.find(
    ({ ordinal, content, isTerminating }) =>
      ordinal >= facts.replicas &&
      content === 'thisCluster' &&
      !isTerminating &&
      !pods.has(ordinal),
  );
  if (left === undefined) return undefined;
  const { ordinal, name } = left;
  const message = `etcd: PersistentVolumeClaim ${name} of the removed member ${podName(facts, ordinal)} is deleted`;
  return { kind: 'deleteClaim', claim: left, message };
}
