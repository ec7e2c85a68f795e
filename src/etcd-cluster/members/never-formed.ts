import type { EtcdView } from '../../etcd/view.ts';

/**
 * Whether the members that the flags name are not one etcd cluster. Members that the Go operator added by a change of its
 * flags never joined the first one: they form a cluster of their own, or none.
 * @param replicas number of members in the flags
 */
export const neverFormed = (
  { splitBrain, members }: Pick<EtcdView, 'splitBrain' | 'members'>,
  replicas: number,
): boolean => splitBrain !== undefined || (members.length > 0 && members.length !== replicas);

/** Names the cluster that a Pod reports, for a message. */
export const clusterText = (pod: string, clusterID: string): string =>
  `${pod}: cluster ${clusterID}`;

const CLUSTER_TEXT = /([a-z0-9][a-z0-9.-]*): cluster ([0-9a-f]{1,16})\b/g;

/** Reads the Pods and their clusters from a message with `clusterText`. */
export const clustersIn = (
  message: string,
): readonly { readonly pod: string; readonly clusterID: string }[] =>
  [...message.matchAll(CLUSTER_TEXT)].map(([, pod = '', clusterID = '']) => ({ pod, clusterID }));
