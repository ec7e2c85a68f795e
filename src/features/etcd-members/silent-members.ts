/**
 * Selects Pods of etcd members that respond to nothing although the kubelet last reported them as ready: pure. The
 * kubelet of a frozen node reports nothing more, and Kubernetes excludes its Pods from Services only after 50 s. An API
 * server that loses its connection to such a member would reach it again.
 */
import type { EtcdMemberFailure } from '../../etcd/member-status.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { isPaused } from '../../instance/pause.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { etcdPods, serves } from '../../etcd-cluster/pods/etcd-pods.ts';
import type { SilentMember } from '../../actions/action.ts';

const RIGHT = 'patch pods/status';

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
  return ready.flatMap((pod) => {
    const found = etcd.silent.find((one) => isOf(one, pod));
    const { respondedAt } = found ?? {};
    if (respondedAt === undefined) return [];
    return [{ pod, silence: `${pod.metadata.uid ?? ''} ${String(respondedAt)}` }];
  });
}

const isOf = ({ pod, podUid }: EtcdMemberFailure, { metadata }: KubernetesObject): boolean =>
  pod === metadata.name && podUid === metadata.uid;
