/** Types of `status.memberClusters`: the member clusters that have joined a control plane. */

export interface MemberClustersStatus {
  /** Ready and joined member clusters, such as `2/3`. */
  readonly summary: string;
  readonly total: number;
  readonly ready: number;
  readonly push: number;
  readonly pull: number;
  /** At most `LISTED_CLUSTERS`, those that need attention first. */
  readonly clusters: readonly MemberClusterState[];
}

/** Maximum number of member clusters in the status. */
export const LISTED_CLUSTERS = 20;

export interface MemberClusterState {
  readonly name: string;
  /** Absent if the Cluster object has another value. */
  readonly syncMode?: 'Push' | 'Pull';
  /** Status of the condition Ready of the Cluster object; `Unknown` if it has none. */
  readonly ready: 'True' | 'False' | 'Unknown';
  /** Reason of that condition; absent while it is True. */
  readonly reason?: string;
  /** Time at which that condition stopped to be True (RFC 3339); absent while it is True, or if it is not known. */
  readonly since?: string;
  /** Expiry of the token or of the CA bundle in the Secret of the Cluster object (RFC 3339), if they expire. */
  readonly credentialExpiry?: string;
}
