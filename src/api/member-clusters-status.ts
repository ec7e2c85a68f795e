/** Types of `status.memberClusters`: the member clusters that have joined a control plane. */
export type { MemberClustersStatus, MemberClusterState } from './karmada.generated.ts';

/** Maximum number of member clusters in the status. */
export const LISTED_CLUSTERS = 20;
