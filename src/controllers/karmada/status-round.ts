/** The last round of a reconcile: the status reports what the plan decided and what came of it. */
import type { Assessment } from '../../actions/assessment.ts';
import type { JudgeInput } from '../../actions/feature.ts';
import {
  NOTHING,
  type MemoryChange,
  type Reconciled,
  type Round,
  type RoundDecision,
  type RoundInput,
} from '../../actions/round.ts';
import type { Karmada, KarmadaStatus } from '../../api/karmada.ts';
import { completesRelease } from '../../assessment/assessment.ts';
import { FEATURES, type FeatureReaders } from './features.ts';
import { observationAgeOf } from './observation-age.ts';
import { observeInBackground } from './observe.ts';
import { requeueAfterMs } from './requeue.ts';
import { nextStatus } from './result.ts';

export type JudgeLimits = Pick<JudgeInput, 'progressDeadlineMs'>;

export const statusRound = (limits: JudgeLimits): Round<FeatureReaders, Reconciled> => ({
  name: 'status',
  isLasting: true,
  observe: async (tools, { change }, instance) => {
    if (change) observeInBackground('afterPlan', { tools, instance }, change.assessment.snapshot);
    return {};
  },
  decide: (known, input) => decideStatus(limits, known, input),
});

function decideStatus(
  { progressDeadlineMs }: JudgeLimits,
  { change, before }: Reconciled,
  input: RoundInput,
): RoundDecision<Reconciled> {
  if (change === undefined) return NOTHING;
  const { instance, clock } = input;
  const { outcome } = change;
  const judged = judge({ instance, clock, progressDeadlineMs }, change.assessment, before);
  const { assessment } = judged;
  const { age, ...read } = observationAgeOf(instance, assessment, clock.monotonic());
  const status = nextStatus(assessment, before, age);
  const { karmada } = assessment.snapshot;
  const announces = assessment.rollout.turn === 'announce' || completesRelease(assessment);
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

interface Judged {
  readonly assessment: Assessment;
  readonly remember: MemoryChange;
}

const judge = (input: JudgeInput, assessment: Assessment, before: KarmadaStatus): Judged =>
  FEATURES.reduce<Judged>(
    (seen, feature) => {
      const next = feature.judge?.(input, seen.assessment, before);
      return next ? { ...next, remember: { ...seen.remember, ...next.remember } } : seen;
    },
    { assessment, remember: {} },
  );

const msUntilDeadline = (status: KarmadaStatus, karmada: Karmada, now: number): number =>
  Math.min(...FEATURES.map((one) => one.msUntilDeadline?.(status, karmada, now) ?? Infinity));
