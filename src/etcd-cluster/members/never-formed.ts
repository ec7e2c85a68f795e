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
