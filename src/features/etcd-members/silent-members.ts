/**
 * Selects Pods of etcd members that respond to nothing although the kubelet last reported them as ready: pure. The
 * kubelet of a frozen node reports nothing more, and Kubernetes excludes its Pods from Services only after 50 s. An API
 * server that loses its connection to such a member would reach it again.
 */
import { firstBy } from '../../kubernetes/objects/first-by.ts';
import { isPaused } from '../../instance/pause.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { etcdPods, serves } from '../../etcd-cluster/pods/etcd-pods.ts';
import type { SilentMember } from '../../actions/action.ts';

const RIGHT = 'patch pods/status';

/** Members that are excluded, and remembered, at most; an etcd has fewer. For each of them all members are queried again. */
export const MAX_MEMBERS = 20;

type Seen = Pick<Snapshot, 'host' | 'etcd' | 'etcdUpkeep' | 'missingRights'>;

/**
 * Returns the members to exclude. The others must have a quorum, and this process must have seen a response of the
 * member: otherwise the connection of the operator may be the cause. A member that is being defragmented is silent too.
 */
export function silentMembers({
  host,
  etcd,
  etcdUpkeep,
  missingRights = [],
}: Seen): readonly SilentMember[] {
  const mayAct = etcdUpkeep?.isRunning !== true && !missingRights.includes(RIGHT);
  if (etcd?.quorum !== true || etcd.splitBrain !== undefined || !mayAct) return [];
  const ready = etcdPods(host.pods).filter((pod) => serves(pod) && !isPaused(pod));
  const silent = firstBy(etcd.silent, ({ pod, podUid }) => JSON.stringify([pod, podUid]));
  const found = ready.flatMap((pod) => {
    const { name, uid = '' } = pod.metadata;
    const { respondedAt } = silent.get(JSON.stringify([name, uid])) ?? {};
    return respondedAt === undefined ? [] : [{ pod, silence: `${uid} ${String(respondedAt)}` }];
  });
  return found.slice(0, MAX_MEMBERS);
}
