import type { Karmada, KarmadaStatus } from '../../api/karmada.ts';
import type { Problem } from '../../api/problem.ts';
import type { ConditionDraft } from '../../conditions/conditions.ts';
import { conditionsWith, type Context } from '../status/unreconciled-status.ts';

/**
 * Status of a control plane that the Go operator created and this operator has not adopted. The conditions of the Go
 * operator stay, because nothing indicates a change.
 */
export function unadoptedStatus(karmada: Karmada, cause: Problem, context: Context): KarmadaStatus {
  const adopted: ConditionDraft = { type: 'Adopted', status: 'False', ...cause };
  return { ...context.before, conditions: conditionsWith(karmada, [adopted], context) };
}
