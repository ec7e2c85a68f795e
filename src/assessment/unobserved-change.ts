/** Decides whether the status waits for the controllers of workloads that the operator has changed. Pure functions. */
import type { KarmadaStatus } from '../api/karmada.ts';
import { isReadyFor } from '../control-plane-access/readiness-gate.ts';
import type { Assessment } from '../actions/assessment.ts';

/** Time in milliseconds for which the operator keeps the previous status until the controllers observe its changes. */
const UNOBSERVED_MS = 10_000;

/**
 * Whether the control plane lacks nothing but controllers that observe the latest generation of workloads, whose Pods are
 * all available. For example, a new version of the operator may change a StatefulSet so that no Pod restarts.
 */
export const isUnobserved = ({
  states,
  unfinished,
  problem,
  blocked,
  rollout,
}: Pick<Assessment, 'states' | 'unfinished' | 'problem' | 'blocked' | 'rollout'>): boolean =>
  unfinished.length > 0 &&
  unfinished.every(({ step }) =>
    [...states].some(([name, state]) => name === step && state.isUnobserved),
  ) &&
  problem === undefined &&
  blocked === undefined &&
  rollout.turn === 'go';

/**
 * Whether the status stays unchanged because the operator does not know yet whether its changes restart Pods. Otherwise
 * `Ready` would be False for a moment after each such change. Returns false after the timeout, and after a change of the
 * spec.
 * @param unobservedMs milliseconds since controllers are awaited
 */
export function isBeforeObservedChange(
  assessment: Assessment,
  before: KarmadaStatus,
  unobservedMs: number,
): boolean {
  const { generation } = assessment.snapshot.karmada.metadata;
  const isKept = isReadyFor(before, generation) && unobservedMs < UNOBSERVED_MS;
  return isKept && isUnobserved(assessment);
}
