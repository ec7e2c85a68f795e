/** Whether the members that answered are of one cluster: pure. */
import { NO_LEADER, type EtcdMemberAnswer } from './answer.ts';

/** A cluster that pods are members of. */
export interface EtcdCluster {
  readonly id: string;
  readonly pods: readonly string[];
}

/** Why the members are not of one cluster; the texts name pods and clusters, and nothing that changes by itself. */
export interface EtcdSplit {
  readonly reason: 'SplitBrain';
  readonly message: string;
}

/** The clusters of the pods that answered, the largest first. */
export function clustersOf(answers: readonly EtcdMemberAnswer[]): readonly EtcdCluster[] {
  return groupedBy(answers, ({ clusterId }) => clusterId).map(([id, pods]) => ({ id, pods }));
}

/** Pods by a property of their answers, the largest group first. */
export function groupedBy(
  answers: readonly EtcdMemberAnswer[],
  by: (answer: EtcdMemberAnswer) => string,
): readonly (readonly [string, readonly string[]])[] {
  const groups = new Map<string, string[]>();
  for (const answer of answers)
    groups.set(by(answer), [...(groups.get(by(answer)) ?? []), answer.pod]);
  return [...groups]
    .map(([key, pods]) => [key, pods.sort()] as const)
    .sort(([one, pods], [other, others]) => others.length - pods.length || (one < other ? -1 : 1));
}

/** Two clusters; or one by its ID that is two, as members of two births with the same settings have the same IDs. */
export function splitOf(
  answers: readonly EtcdMemberAnswer[],
  clusters: readonly EtcdCluster[],
): EtcdSplit | undefined {
  if (clusters.length > 1)
    return split(
      'its pods are members of different clusters, so API servers see different data',
      clusters.map(({ id, pods }) => `${pods.join(', ')}: cluster ${id}`),
    );
  return foreignMember(answers) ?? twoLeaders(answers);
}

const REMEDY =
  'the operator changes nothing of etcd meanwhile; keep the volumes of all members, and see "Members of different clusters" in docs/etcd.md';

const split = (text: string, details: readonly string[]): EtcdSplit => ({
  reason: 'SplitBrain',
  message: `etcd: ${text} (${details.join('; ')}); ${REMEDY}`,
});

/** A member that the others, who asked a quorum, do not know. */
function foreignMember(answers: readonly EtcdMemberAnswer[]): EtcdSplit | undefined {
  const unknown = answers.filter(({ memberId }) =>
    answers.some(
      ({ confirmed, members }) => confirmed && !members.some(({ id }) => id === memberId),
    ),
  );
  if (unknown.length === 0) return undefined;
  return split(
    'not all pods run members that the cluster lists',
    unknown.map(({ pod, memberId }) => `${pod}: member ${memberId}`),
  );
}

/** Raft has at most one leader in a term, so two of them are two clusters. */
function twoLeaders(answers: readonly EtcdMemberAnswer[]): EtcdSplit | undefined {
  const led = answers.filter(({ leaderId }) => leaderId !== NO_LEADER);
  const leaders = groupedBy(led, ({ leaderId }) => leaderId);
  const twice = led.some((one) =>
    led.some((other) => other.term === one.term && other.leaderId !== one.leaderId),
  );
  if (!twice) return undefined;
  return split(
    'its pods follow different leaders in one term, so API servers see different data',
    leaders.map(([id, pods]) => `${pods.join(', ')}: leader ${id}`),
  );
}
