/** Pure functions that detect whether the etcd members of a control plane belong to different clusters. */
import { firstBy } from '../kubernetes/objects/first-by.ts';
import { NO_LEADER, type EtcdMemberStatus } from './member-status.ts';

/** An etcd cluster and the Pods whose members belong to it. */
export interface EtcdCluster {
  readonly id: string;
  readonly pods: readonly string[];
}

/** Reason why the members do not form one cluster. The message has no values that change without an event. */
export interface EtcdSplit {
  readonly reason: 'SplitBrain';
  readonly message: string;
}

/** Clusters of the members that responded, the largest first. */
export function clustersOf(answers: readonly EtcdMemberStatus[]): readonly EtcdCluster[] {
  return groupedBy(answers, ({ clusterId }) => clusterId).map(([id, pods]) => ({ id, pods }));
}

/** Groups Pods by a property of their responses, the largest group first. */
export function groupedBy(
  answers: readonly EtcdMemberStatus[],
  by: (answer: EtcdMemberStatus) => string,
): readonly (readonly [string, readonly string[]])[] {
  return [...Map.groupBy(answers, by)]
    .map(([key, group]) => [key, group.map(({ pod }) => pod).sort()] as const)
    .sort(([one, pods], [other, others]) => others.length - pods.length || (one < other ? -1 : 1));
}

/**
 * Detects a split: different cluster IDs, a member that the cluster does not list, or two leaders in one term. The
 * last two matter because two clusters that were bootstrapped with the same settings have the same IDs.
 * @returns undefined when the members form one cluster
 */
export function splitOf(
  answers: readonly EtcdMemberStatus[],
  clusters: readonly EtcdCluster[],
): EtcdSplit | undefined {
  if (clusters.length > 1)
    return split(
      'the Pods are members of different etcd clusters, so API servers read different data',
      clusters.map(({ id, pods }) => `${pods.join(', ')}: cluster ${id}`),
    );
  return foreignMember(answers) ?? twoLeaders(answers);
}

const REMEDY =
  'the operator does not change etcd until this is resolved; keep the volumes of all members, and see "Members of different clusters" in docs/operate/troubleshoot.md';

const split = (text: string, details: readonly string[]): EtcdSplit => ({
  reason: 'SplitBrain',
  message: `etcd: ${text} (${details.join('; ')}); ${REMEDY}`,
});

/** Detects a member that is missing in a member list that a quorum confirmed. */
function foreignMember(answers: readonly EtcdMemberStatus[]): EtcdSplit | undefined {
  const lists = answers.filter(({ confirmed }) => confirmed).map(({ members }) => members);
  const counts = new Map<string, number>();
  for (const id of lists.flatMap((members) => [...new Set(members.map((one) => one.id))]))
    counts.set(id, (counts.get(id) ?? 0) + 1);
  const unknown = answers.filter(({ memberId }) => (counts.get(memberId) ?? 0) < lists.length);
  if (unknown.length === 0) return undefined;
  return split(
    'some Pods run members that are not in the member list of the cluster',
    unknown.map(({ pod, memberId }) => `${pod}: member ${memberId}`),
  );
}

/** Detects two leaders in one term. Raft elects at most one leader per term, so they belong to two clusters. */
function twoLeaders(answers: readonly EtcdMemberStatus[]): EtcdSplit | undefined {
  const led = answers.filter(({ leaderId }) => leaderId !== NO_LEADER);
  const leaders = groupedBy(led, ({ leaderId }) => leaderId);
  const byTerm = firstBy(led, ({ term }) => term);
  const twice = led.some(({ term, leaderId }) => byTerm.get(term)?.leaderId !== leaderId);
  if (!twice) return undefined;
  return split(
    'the Pods follow different leaders in one term, so API servers read different data',
    leaders.map(([id, pods]) => `${pods.join(', ')}: leader ${id}`),
  );
}
