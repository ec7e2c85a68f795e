/** Decides from member responses whether all etcd members belong to one cluster: pure. */

/** State of the members; each member is queried separately. */
export interface SeenMembers {
  /** Pods that responded. */
  readonly answers: readonly { readonly pod: string }[];
  /** Clusters of the members that responded. */
  readonly clusters: readonly { readonly id: string }[];
  /** Member list of the cluster; a member that never started has no name. */
  readonly members: readonly { readonly name: string }[];
  /** Pods of voters that follow the leader of a quorum. */
  readonly serving: readonly string[];
  readonly quorum: boolean;
  /** Present if the members belong to different clusters. */
  readonly splitBrain?: object;
  /** Pods that have not been queried yet. */
  readonly unasked: readonly string[];
}

export type ClusterIdentity =
  /**
   * A quorum of the expected members belongs to one cluster (without a record: all members), and no Pod belongs to
   * another one.
   */
  | {
      readonly kind: 'agreed';
      /** Hexadecimal. */
      readonly clusterID: string;
      readonly members: number;
      /** Names of the Pods with healthy members. */
      readonly pods: readonly string[];
    }
  | { readonly kind: 'split' }
  /** Some members have not been queried yet. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'unknown' }
  /** The members are not queried. */
  | { readonly kind: 'unseen' };

interface Expected {
  /** Names of the Pods of the expected members. */
  readonly names: readonly string[];
  /**
   * Whether a record proves that they started as one cluster. Without a record a silent member may belong to another
   * one.
   */
  readonly isRecorded: boolean;
}

/**
 * Evaluates the member responses.
 * @param seen undefined if the members are not queried
 */
export function clusterIdentityOf(
  seen: SeenMembers | undefined,
  expected: Expected,
): ClusterIdentity {
  if (seen === undefined) return { kind: 'unseen' };
  const { clusters, splitBrain, unasked, serving } = seen;
  if (splitBrain !== undefined || clusters.length > 1) return { kind: 'split' };
  const [cluster] = clusters;
  if (cluster !== undefined && isWhole(seen, expected) && isProven(seen, expected)) {
    const members = expected.names.length;
    return { kind: 'agreed', clusterID: cluster.id, members, pods: serving };
  }
  return { kind: unasked.length > 0 ? 'pending' : 'unknown' };
}

/** Whether a quorum confirms that the members are exactly the expected Pods. */
function isWhole({ members, quorum }: SeenMembers, { names }: Expected): boolean {
  const listed = members.filter(({ name }) => name !== '').map(({ name }) => name);
  const expected = new Set(names);
  return quorum && members.length === names.length && listed.every((name) => expected.has(name));
}

function isProven({ answers }: SeenMembers, { names, isRecorded }: Expected): boolean {
  const answered = new Set(answers.map(({ pod }) => pod));
  return isRecorded || names.every((name) => answered.has(name));
}
