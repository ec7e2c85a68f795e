/** Types of `status.etcdCluster`: what the members of a local etcd report about themselves. */

export interface EtcdClusterStatus {
  /** Hexadecimal, as in etcdctl. Empty if no member has reported it, or if members belong to different clusters. */
  readonly clusterID: string;
  /** Whether a majority of the voters is available; `Unknown` if no member responds. */
  readonly quorum: 'True' | 'False' | 'Unknown';
  /** Name of the leader; empty if there is none. */
  readonly leader: string;
  /** Time of the observation (RFC 3339). A later observation with the same result does not change it. */
  readonly observedTime: string;
  readonly members: readonly EtcdMemberState[];
}

/** An etcd member. Without a response, `version` and `dbSize` are those of its last response. */
export interface EtcdMemberState {
  /** Empty until the member has started. */
  readonly name: string;
  /** Hexadecimal, as in etcdctl. */
  readonly id: string;
  readonly role: 'Voter' | 'Learner';
  readonly version?: string;
  /** Approximate size of the database, such as `16Mi`. */
  readonly dbSize?: string;
  /** Index of the Raft log and revision of the data at `observedTime`; only while etcd is not healthy or changes. */
  readonly raftIndex?: number;
  readonly revision?: number;
  readonly alarms?: readonly string[];
  /** Set while the member does not respond: cause, and time of the last response (RFC 3339) if it is known. */
  readonly message?: string;
  readonly lastResponseTime?: string;
}
