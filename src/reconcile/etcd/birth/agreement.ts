/** Whether the members of an etcd are one cluster, by their own word: pure. */

/** What is known of the members, each asked by itself. */
export interface SeenMembers {
  /** Of the pods that answered. */
  readonly answers: readonly { readonly pod: string }[];
  /** Clusters of the members that answered. */
  readonly clusters: readonly { readonly id: string }[];
  /** The list of members of the one cluster; a member that never started has no name. */
  readonly members: readonly { readonly name: string }[];
  /** Pods of voters that follow the leader of a quorum. */
  readonly serving: readonly string[];
  readonly quorum: boolean;
  /** Present when there are several clusters. */
  readonly splitBrain?: object;
  /** Pods that nobody has asked yet. */
  readonly unasked: readonly string[];
}

export type Agreement =
  /** A quorum of the members that the pods should be is of one cluster (all of them, if there is no record), and no pod is of another one. */
  | {
      readonly kind: 'agreed';
      /** Hexadecimal. */
      readonly clusterID: string;
      readonly members: number;
      /** Names of the pods that serve it. */
      readonly pods: readonly string[];
    }
  | { readonly kind: 'split' }
  /** Some were not asked yet. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'unknown' }
  /** Nobody asks them. */
  | { readonly kind: 'unseen' };

interface Expected {
  /** Names of the pods that are to be the members. */
  readonly names: readonly string[];
  /** Whether a record says that they were founded as one cluster; without one a silent member may hold another one. */
  readonly isRecorded: boolean;
}

/** @param seen undefined when nobody asks */
export function agreementOf(seen: SeenMembers | undefined, expected: Expected): Agreement {
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

/** Whether a quorum says that the members are those pods. */
function isWhole({ members, quorum }: SeenMembers, { names }: Expected): boolean {
  const listed = members.filter(({ name }) => name !== '').map(({ name }) => name);
  return quorum && members.length === names.length && listed.every((name) => names.includes(name));
}

const isProven = ({ answers }: SeenMembers, { names, isRecorded }: Expected): boolean =>
  isRecorded || names.every((name) => answers.some(({ pod }) => pod === name));
