/** The last rounds of a reconcile: the functional checks of a complete control plane, and its status. */
import { NOTHING, type Round, type RoundDecision, type RoundInput } from '../../actions/round.ts';
import { completesRelease, withNextReleases } from '../../features/assessment/assessment.ts';
import { readEventsInBackground, type EventTools } from '../../features/causes/observe-events.ts';
import { withProgress, type ProgressTools } from '../../features/progress/with-progress.ts';
import {
  withReadinessCheck,
  type ReadinessCheckTools,
} from '../../features/readiness/check-readiness.ts';
import { msUntilDeadline } from '../../features/rollback/step-deadline.ts';
import type { Host } from '../../host-clusters/host.ts';
import { observationAgeOf } from './observation-age.ts';
import { requeueAfterMs } from './requeue.ts';
import { nextStatus, type Reconciled } from './result.ts';

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

/** The status reports what the plan decided and what came of it. */
export const statusRound = (
  limits: ProgressTools,
): Round<EventTools & { readonly host: Pick<Host, 'client' | 'rights'> }, Reconciled> => ({
  name: 'status',
  isLasting: true,
  observe: async (tools, { change }, instance) => {
    if (change) readEventsInBackground(tools, instance, change.assessment.snapshot);
    return {};
  },
  decide: (known, input) => decideStatus(limits, known, input),
});

function decideStatus(
  limits: ProgressTools,
  { change, before }: Reconciled,
  input: RoundInput,
): RoundDecision<Reconciled> {
  if (change === undefined) return NOTHING;
  const { instance, clock } = input;
  const { outcome } = change;
  const tools = { ...limits, clock };
  const { assessment, ...judged } = withProgress(tools, instance, change.assessment, before);
  const { age, ...read } = observationAgeOf(instance, assessment, clock.monotonic());
  const status = nextStatus(assessment, before, age, outcome);
  const { karmada } = assessment.snapshot;
  const announces = assessment.rollout.turn === 'claim' || completesRelease(assessment);
  return {
    actions: [{ kind: 'writeStatus', karmada, status }],
    remember: { ...judged.remember, ...read.remember },
    learn: ({ statusDelayMs = 0 }) => ({
      end: {
        errors: outcome.errors,
        startsNext: status !== before && announces,
        statusDelayMs,
        requeueAfterMs: Math.min(
          requeueAfterMs(input, assessment, statusDelayMs),
          msUntilDeadline(status, karmada, clock.wall()),
        ),
      },
    }),
  };
}
