import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import { estimatorConditions, estimatorWarnings } from './estimators.ts';
import { memberClustersStatus, memberClusterWarnings } from './member-clusters-status.ts';
import { memberActions, observeMembers, syncMembers, type MemberTools } from './members.ts';

/** The access of estimators to member clusters. */
export const memberAccess = {
  name: 'access to member clusters',
  observers: { inside: ({ instance }, seen) => observeMembers(instance, seen, seen.controlPlane) },
  decide: memberActions,
  warnings: (snapshot, before) => [
    ...memberClusterWarnings(snapshot, before.memberClusters),
    ...estimatorWarnings(snapshot),
  ],
  conditions: estimatorConditions,
  statusFields: ({ snapshot, before }) => {
    const memberClusters = memberClustersStatus(snapshot, before.memberClusters);
    return memberClusters ? { memberClusters } : {};
  },
  executors: ({ tools, instance }: ExecutionContext<MemberTools>) => ({
    syncMembers: async (action) => syncMembers(tools, instance, action),
  }),
} satisfies Feature<MemberTools>;
