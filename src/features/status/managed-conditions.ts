/** Merges the conditions of this operator with those of other controllers. Pure functions. */
import { CONDITION_TYPES } from '../../api/reasons/condition-reasons.ts';
import type { Condition, Karmada, KarmadaStatus } from '../../api/karmada.ts';
import { mergeConditions, type ConditionDraft } from '../../conditions/conditions.ts';

/** Condition types that this operator writes. */
const OURS: ReadonlySet<string> = new Set(CONDITION_TYPES.map(({ type }) => type));

/** Formats milliseconds since the epoch as RFC 3339 in whole seconds, as metav1.Time does. */
export const timestamp = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+/, '');

/**
 * Returns all conditions after these findings. Conditions of other controllers stay.
 * @param now wall clock in milliseconds
 */
export function merged(
  karmada: Karmada,
  before: KarmadaStatus,
  findings: readonly ConditionDraft[],
  now: number,
): readonly Condition[] {
  const generation = karmada.metadata.generation ?? 0;
  return mergeConditions(before.conditions ?? [], findings, {
    now: timestamp(now),
    generation,
    ours: OURS,
  });
}
