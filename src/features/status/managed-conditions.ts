/** Merges the conditions of this operator with those of other controllers. Pure functions. */
import type { Condition, Karmada, KarmadaStatus } from '../../api/karmada.ts';
import { COMPONENTS } from '../../components/registry.ts';
import { mergeConditions, type ConditionDraft } from '../../conditions/conditions.ts';
import { OPERATOR_ROLLOUT } from '../../conditions/condition-types.ts';
import { CONDITION_TYPE } from '../../conditions/condition-types.ts';

/** Condition types that this operator writes. */
export const OURS: ReadonlySet<string> = new Set([
  ...COMPONENTS.map(({ name }) => CONDITION_TYPE[name]),
  'Adopted',
  'Ready',
  'Progressing',
  'Degraded',
  'CertificatesValid',
  'EtcdHealthy',
  'HostReachable',
  OPERATOR_ROLLOUT,
  'RepairPaused',
  'Stalled',
  'Suspended',
  'Warning',
]);

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
