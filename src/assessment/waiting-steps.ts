/** Steps that wait: pure. */
import type { StepState } from '../components/rollout.ts';
import { AWAITING_BACKUP } from '../instance/upgrade-backup.ts';
import type { Waiting } from '../instance/waiting.ts';

/** Whether a step waits for other steps, or for the backup before all steps. */
export const isEffect = (waiting: Waiting | undefined): boolean =>
  (waiting?.awaits ?? []).length > 0 || waiting?.reason === AWAITING_BACKUP;

/** Reason of the gate, if there is something to write or the step waits for others; otherwise that of its Pods. */
export function reasonOf({ state, message }: StepState, waiting: Waiting | undefined): string {
  const isWritten = state === 'progressing' && !isEffect(waiting);
  return waiting === undefined || isWritten ? message : waiting.message;
}
