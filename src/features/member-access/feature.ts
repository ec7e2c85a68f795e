import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import { estimatorWarnings } from './estimators.ts';
import { memberClusterWarnings } from './member-clusters-status.ts';
import { memberActions, syncMembers, type MemberTools } from './members.ts';

/** The access of estimators to member clusters. */
export const memberAccess = {
  name: 'access to member clusters',
  decide: memberActions,
  warnings: (snapshot, before) => [
    ...memberClusterWarnings(snapshot, before.memberClusters),
    ...estimatorWarnings(snapshot),
  ],
  executors: ({ tools, instance }: ExecutionContext<MemberTools>) => ({
    syncMembers: async (action) => syncMembers(tools, instance, action),
  }),
} satisfies Feature<MemberTools>;
