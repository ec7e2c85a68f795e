import type { PreflightResult, PreflightSubject } from '../../actions/preflight.ts';
import type { Karmada, KarmadaStatus } from '../../api/karmada.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import type { ConditionDraft } from '../../conditions/conditions.ts';
import { conditionsWith, type Context } from '../status/unreconciled-status.ts';
import { decideAdoption } from './decide-adoption.ts';
import { readAdoption, type AdoptionTools } from './read-adoption.ts';

/** Whether the control plane is one of the Go operator that waits for its adoption, or is to be adopted now. */
export async function checkAdoption(
  tools: AdoptionTools,
  { karmada, owned, present }: PreflightSubject,
): Promise<PreflightResult> {
  const decision = decideAdoption(await readAdoption(tools, { owned, present }, karmada));
  if (decision.kind === 'none') return undefined;
  if (decision.kind === 'adopt') return { adoption: decision.rounds };
  const { problem } = decision;
  return {
    status: (context) => unadoptedStatus(karmada, problem, context),
    endsWithoutEvent: true,
  };
}

/**
 * Status of a control plane that the Go operator created and this operator has not adopted. The conditions of the Go
 * operator stay, because nothing indicates a change.
 */
export function unadoptedStatus(karmada: Karmada, cause: Problem, context: Context): KarmadaStatus {
  const adopted: ConditionDraft = { type: 'Adopted', status: 'False', ...cause };
  return { ...context.before, conditions: conditionsWith(karmada, [adopted], context) };
}
