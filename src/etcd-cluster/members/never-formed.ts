import type { EtcdView } from '../../etcd/view.ts';

/**
 * Whether the members that the flags name are not one etcd cluster. Members that the Go operator added by a change of its
 * flags never joined the first one: they form a cluster of their own, or none. A list with further members is one cluster:
 * the Go operator removed their Pods, but not the members.
 * @param replicas number of members in the flags
 */
export const neverFormed = (
  { splitBrain, members }: Pick<EtcdView, 'splitBrain' | 'members'>,
  replicas: number,
): boolean => splitBrain !== undefined || (members.length > 0 && members.length < replicas);

const SEPARATOR = ': cluster ';

/** Names the cluster that a Pod reports, for a message. */
export const clusterText = (pod: string, clusterID: string): string =>
  `${pod}${SEPARATOR}${clusterID}`;

/** A Pod and the cluster that it reports. */
interface PodCluster {
  readonly pod: string;
  readonly clusterID: string;
}

/** Reads the Pods and their clusters from a message with `clusterText`, each after a space or a parenthesis. */
export function clustersIn(message: string): readonly PodCluster[] {
  const parts = message.split(SEPARATOR);
  return parts.slice(1).flatMap((after, index) => {
    const before = parts[index] ?? '';
    const pod = before.slice(Math.max(before.lastIndexOf(' '), before.lastIndexOf('(')) + 1);
    const [clusterID] = /^[0-9a-f]{1,16}/.exec(after) ?? [];
    return clusterID === undefined || pod === '' ? [] : [{ pod, clusterID }];
  });
}
