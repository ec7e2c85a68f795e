/** Tells which failures of etcd Pods are part of a change of the members, and therefore no problems: pure. */
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import {
  etcdPods,
  hasEnded,
  isDown,
  respondedSince,
  serves,
} from '../../etcd-cluster/pods/etcd-pods.ts';
import { etcdWorkload } from '../etcd-storage/plan-etcd.ts';
import { podOrdinal } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import { specOf } from '../../etcd-cluster/pods/stateful-set.ts';
import {
  clusterOf,
  firstUnusedOrdinal,
  podsByOrdinal,
  type MemberCluster,
} from '../../etcd-cluster/members/cluster.ts';
import type { MemberFacts, MemberPod } from '../../etcd-cluster/members/facts.ts';
import type { Cached } from './member-facts.ts';
import { changeableFacts } from './read-facts.ts';

/**
 * Returns the Pods whose failures are problems. The Pod of a member that leaves fails until it is deleted; what keeps the
 * member from leaving is a problem of the step, which has a deadline. A new Pod fails until the cluster knows its member,
 * and its member is not ready until it has a vote. While the members are unknown, for example because the remaining ones
 * elect a leader, every other failure counts.
 */
export function reportedPods(subject: Cached): readonly KubernetesObject[] {
  const { pods } = subject.host;
  if (etcdPods(pods).every(serves)) return pods;
  const isExpected = expectedFailure(subject);
  return pods.filter((pod) => {
    const ordinal = podOrdinal(subject.karmada.metadata.name, pod.metadata.name);
    return ordinal === undefined || !isExpected(pod, ordinal);
  });
}

type IsExpected = (pod: Pod, ordinal: number) => boolean;

function expectedFailure(subject: Cached): IsExpected {
  const statefulSet = etcdWorkload(subject);
  const { replicas = Infinity } = statefulSet ? specOf(statefulSet) : {};
  const facts = changeableFacts(subject);
  // A voter that was a learner when it was queried last does not count for `view.quorum`.
  const isProven = facts?.view.answers.some(({ confirmed }) => confirmed) === true;
  const wanted = facts?.wanted ?? Infinity;
  // A removed member ends with any exit code, and starts again as long as the StatefulSet has its Pod.
  const isSurplus: IsExpected = (pod, ordinal) => ordinal >= wanted && hasEnded(pod);
  if (facts?.isFormed !== true || !isProven)
    return (pod, ordinal) => ordinal >= replicas || isSurplus(pod, ordinal);
  const cluster = clusterOf(facts);
  const staying = Math.min(replicas, firstUnusedOrdinal(facts, cluster));
  const seen = seenOf(facts, cluster);
  return (pod, ordinal) =>
    ordinal >= staying || isSurplus(pod, ordinal) || isJoining(pod, ordinal, seen);
}

interface Seen {
  readonly pods: ReadonlyMap<number, MemberPod>;
  /** Ordinals. */
  readonly voters: ReadonlySet<number>;
  readonly learners: ReadonlySet<number>;
  readonly hasResponded: (pod: Pod) => boolean;
}

const seenOf = (facts: MemberFacts, { voters, learners }: MemberCluster): Seen => ({
  pods: podsByOrdinal(facts),
  voters: new Set(voters.map(({ ordinal }) => ordinal)),
  learners: new Set(learners.map(({ ordinal }) => ordinal)),
  hasResponded: respondedSince(facts.view),
});

/**
 * Whether a Pod fails because its member has no vote yet. Before it may join, etcd ends at each start. The operator
 * recreates a Pod that ended too often, so that one that still ends then has another fault. The kubelet reports a start
 * up to a second later than the member responds, which may be a voter by then.
 */
function isJoining(
  pod: Pod,
  ordinal: number,
  { pods, voters, learners, hasResponded }: Seen,
): boolean {
  const known = pods.get(ordinal);
  const isLearner = learners.has(ordinal);
  if (isLearner && !isDown(pod)) return true;
  if (!hasEnded(pod) || known?.isBackingOff === true) return false;
  if (isLearner || hasResponded(pod)) return true;
  return !voters.has(ordinal) && known?.wasMember !== true;
}
