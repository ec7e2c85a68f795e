/** Number of control planes by phase. */
import type { Phase } from '../api/karmada.ts';
import type { ControlPlaneFacts } from '../features/control-plane/control-plane-facts.ts';

const PHASES = {
  Pending: 0,
  Installing: 0,
  Running: 0,
  Updating: 0,
  Blocked: 0,
  Degraded: 0,
  Failed: 0,
  Suspended: 0,
  Deleting: 0,
} as const satisfies Readonly<Record<Phase, 0>>;

const PHASE_METRIC = 'karmada_operator_control_planes';

/** Text of the metric. Every phase has a series, also without control planes. */
export function phaseText(all: readonly Pick<ControlPlaneFacts, 'karmada'>[]): string {
  const counts: Record<string, number> = { ...PHASES };
  for (const { karmada } of all) {
    const phase = karmada.status?.phase ?? 'Pending';
    counts[phase] = (counts[phase] ?? 0) + 1;
  }
  const lines = Object.entries(counts).map(
    ([phase, count]) => `${PHASE_METRIC}{phase="${phase}"} ${String(count)}\n`,
  );
  const head = `# HELP ${PHASE_METRIC} Number of Karmada objects by phase. Only of the leader.\n# TYPE ${PHASE_METRIC} gauge\n`;
  return `${head}${lines.join('')}`;
}
