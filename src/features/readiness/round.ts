/** The round of a reconcile with functional checks of a complete control plane. */
import type { Reconciled, Round } from '../../actions/round.ts';
import { withNextReleases } from '../../assessment/assessment.ts';
import { withReadinessCheck, type ReadinessCheckTools } from './check-readiness.ts';

/** Calls as users make them. They write nothing. */
export const readinessRound: Round<ReadinessCheckTools, Reconciled> = {
  name: 'readiness',
  isLasting: true,
  observe: async (tools, { change, before }, instance) => {
    if (change === undefined) return {};
    const { assessment, ...checked } = await withReadinessCheck(
      tools,
      instance,
      change.assessment,
      before,
    );
    return { change: { ...change, assessment: withNextReleases(assessment) }, ...checked };
  },
};
