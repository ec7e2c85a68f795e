/** What follows from a reconcile: the status to write, and the next reconcile. Pure functions. */
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { ReconcileEnd } from '../../actions/round.ts';
import type { Assessment } from '../../actions/assessment.ts';
import {
  isBeforeFirstObservation,
  type ObservationAge,
} from '../../assessment/first-observation.ts';
import { awaitsOnlyEffects } from '../../assessment/awaited-effects.ts';
import type { ReconcileResult } from '../../kubernetes/workqueue/worker.ts';
import { ReportedError } from './reported-error.ts';
import { statusOf } from './status.ts';

/** Returns the status to write: the previous one until the first observation is complete. Pure function. */
export function nextStatus(
  assessment: Assessment,
  before: KarmadaStatus,
  age: ObservationAge,
): KarmadaStatus {
  const isKept =
    isBeforeFirstObservation(assessment, before, age) ||
    awaitsOnlyEffects(assessment, before, age.unobservedMs);
  return isKept ? before : statusOf(assessment, before);
}

/** Returns the delay until the next reconcile. Pure function. @throws ReportedError for the first retryable error */
export function resultOf({ errors, ...end }: ReconcileEnd): ReconcileResult {
  const [error] = errors;
  if (error !== undefined) throw new ReportedError(error);
  if (end.startsNext) return { requeueAfterMs: Math.max(1, end.statusDelayMs) };
  return { requeueAfterMs: end.requeueAfterMs };
}
