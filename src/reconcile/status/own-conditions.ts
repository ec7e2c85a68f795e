/** Conditions of this operator beside those of others: pure. */
import type { Condition, Karmada, KarmadaStatus } from '../../api/karmada.ts';
import { COMPONENTS } from '../../components/registry.ts';
import { mergeConditions, type Finding } from './conditions.ts';
import { OPERATOR_ROLLOUT } from '../operator-rollout/turn.ts';
import { CONDITION_TYPE } from './condition-types.ts';

/** Types of conditions this operator writes. */
const OURS: ReadonlySet<string> = new Set([
  ...COMPONENTS.map(({ name }) => CONDITION_TYPE[name]),
  ...[
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
  ],
]);

/** RFC 3339 in whole seconds, as metav1.Time has it. */
export const timestamp = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+/, '');

/** Conditions as they are after these findings; those of others stay. */
export function merged(
  karmada: Karmada,
  before: KarmadaStatus,
  findings: readonly Finding[],
  now: number,
): readonly Condition[] {
  const generation = karmada.metadata.generation ?? 0;
  return mergeConditions(before.conditions ?? [], findings, {
    now: timestamp(now),
    generation,
    ours: OURS,
  });
}
