/** What a change preview says about a failed change. Pure functions. */
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';
import { rollsBack, stepDeadline } from '../api/versions/upgrade-policy.ts';
import type { BlockedChange } from '../instance/blocked-change.ts';
import type { ResolvedSpec } from '../features/versions/resolve-spec.ts';
import { isOtherSpec, rolledBackChange } from '../features/rollback/rollback-status.ts';

type Resolved = Pick<ResolvedSpec, 'readyRecord' | 'rollback'>;

/** Returns the change that was rolled back and stays so. */
export function rolledBackChanges({ rollback }: Resolved): readonly BlockedChange[] {
  const change = rolledBackChange({ ...(rollback && { rollback }) }, new Map());
  return change === undefined ? [] : [change];
}

/** Returns what happens if a step fails; empty with `onFailure: Halt` and without a control plane. */
export function failureText(
  karmada: Karmada,
  { readyRecord, rollback }: Resolved,
  { secretRef, versions = {} }: KarmadaStatus,
): readonly string[] {
  const { spec = {} } = karmada;
  if (!rollsBack(spec) || secretRef === undefined || rollback !== undefined) return [];
  if (readyRecord === undefined)
    return [
      'the operator stops, because no ready spec is recorded; set spec.upgrade.onFailure before the change',
    ];
  if (!isOtherSpec({ karmada, readyRecord })) return [];
  const { karmada: release, kubernetes } = versions;
  const known = release && kubernetes ? ` (Karmada ${release}, Kubernetes ${kubernetes})` : '';
  return [
    `the operator returns to the last ready spec${known} ${stepDeadline(spec)} after the start of the step; etcd and CRDs stay`,
  ];
}
