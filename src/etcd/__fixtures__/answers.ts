/** Plain answers of members of an etcd for tests. */
import type { EtcdMemberStatus, EtcdMemberFailure } from '../member-status.ts';
import { etcdView, type EtcdPod, type EtcdView } from '../view.ts';

export const AT = Date.parse('2026-01-01T00:00:00Z');

export const podOf = (name: string): EtcdPod => ({ name, uid: `uid-${name}` });

/** ID of the member that runs in a pod, such as `1a` for `karmada-demo-etcd-1` of the cluster `a`. */
export const idOf = (pod: string, cluster = 'a'): string => `${pod.slice(-1)}${cluster}`;

export const listOf = (pods: readonly string[], cluster = 'a'): EtcdMemberStatus['members'] =>
  pods.map((pod) => ({
    id: idOf(pod, cluster),
    name: pod,
    peerURLs: [`https://${pod}:2380`],
    isLearner: false,
  }));

/** What a sound member of a cluster of these pods answers, whose first one leads. */
export function answerOf(
  pod: string,
  pods: readonly string[],
  more: Partial<EtcdMemberStatus> & { readonly cluster?: string } = {},
): EtcdMemberStatus {
  const { cluster = 'a', ...other } = more;
  return {
    pod,
    podUid: podOf(pod).uid,
    podReady: true,
    at: AT,
    clusterId: cluster,
    memberId: idOf(pod, cluster),
    leaderId: idOf(pods[0] ?? pod, cluster),
    term: '2',
    raftIndex: '100',
    appliedIndex: '100',
    revision: '50',
    dbSize: '40960',
    dbSizeInUse: '20480',
    dbSizeQuota: '2147483648',
    isLearner: false,
    version: '3.6.6',
    errors: [],
    alarms: [],
    members: listOf(pods, cluster),
    confirmed: true,
    ...other,
  };
}

export const silenceOf = (pod: string, cause = 'no connection (time-out)'): EtcdMemberFailure => ({
  pod,
  podUid: podOf(pod).uid,
  at: AT,
  cause,
});

/** A view of one sound cluster of these pods. */
export const soundView = (pods: readonly string[]): EtcdView =>
  etcdView(
    pods.map((pod) => answerOf(pod, pods)),
    pods.map(podOf),
    AT,
  );
