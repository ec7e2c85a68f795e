/** What a reconcile knows, and what follows from it: the status to write, and the next reconcile. Pure functions. */
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { ExecutionResult } from '../../actions/execution-result.ts';
import type { Known } from '../../actions/round.ts';
import type { Assessment } from '../../actions/assessment.ts';
import {
  isBeforeFirstObservation,
  type ObservationAge,
} from '../../features/assessment/first-observation.ts';
import { isBeforeObservedChange } from '../../features/assessment/unobserved-change.ts';
import { awaitsOnlyWrites } from '../../features/readiness/late-writes.ts';
import type { ObservedRotation } from '../../features/rotation/observe.ts';
import type { ReconcileResult } from '../../kubernetes/worker.ts';
import { ReportedError } from './reported-error.ts';
import { statusOf } from './status.ts';

/** Returns the status to write: the previous one until the first observation is complete. Pure function. */
export function nextStatus(
  assessment: Assessment,
  before: KarmadaStatus,
  age: ObservationAge,
  outcome: Pick<ExecutionResult, 'lateSteps'> = {},
): KarmadaStatus {
  const isKept =
    awaitsOnlyWrites(outcome, assessment, before) ||
    isBeforeFirstObservation(assessment, before, age) ||
    isBeforeObservedChange(assessment, before, age.unobservedMs);
  return isKept ? before : statusOf(assessment, before);
}

/** What a reconcile knows after the rounds so far. */
export interface Reconciled extends Known {
  /** Status that was written last. */
  readonly before: KarmadaStatus;
  /** What came of the plan. */
  readonly change?: { readonly assessment: Assessment; readonly outcome: ExecutionResult };
  readonly end?: ReconcileEnd;
  readonly observedRotation?: ObservedRotation;
}

/** How a reconcile ended. All durations are in milliseconds. */
interface ReconcileEnd extends Pick<ExecutionResult, 'errors'> {
  /** The status announces the rollout of the Pods or the next release, which starts when the announcement is written. */
  readonly startsNext: boolean;
  /** Delay until the status may be written; 0 if it is written. */
  readonly statusDelayMs: number;
  /** Delay until the next reconcile that the state of the control plane needs. */
  readonly requeueAfterMs: number;
}

/** Returns the delay until the next reconcile. Pure function. @throws ReportedError for the first retryable error */
export function resultOf({ errors, ...end }: ReconcileEnd): ReconcileResult {
  const [error] = errors;
  if (error !== undefined) throw new ReportedError(error);
  if (end.startsNext) return { requeueAfterMs: Math.max(1, end.statusDelayMs) };
  return { requeueAfterMs: end.requeueAfterMs };
}
