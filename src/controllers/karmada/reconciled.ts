import type { ExecutionResult } from '../../actions/execution-result.ts';
import type { Known } from '../../actions/round.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { Assessment } from '../../features/assessment/assessment.ts';
import type { ReconcileEnd } from './result.ts';

/** What a reconcile knows after the rounds so far. */
export interface Reconciled extends Known {
  /** Status that was written last. */
  readonly before: KarmadaStatus;
  /** What came of the plan. */
  readonly change?: { readonly assessment: Assessment; readonly outcome: ExecutionResult };
  /** How the reconcile ends. */
  readonly end?: ReconcileEnd;
}
