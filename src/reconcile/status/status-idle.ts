/** The status of an instance that is not worked on: pure. */
import type { Condition, Karmada, KarmadaStatus, Phase } from '../../api/karmada.ts';
import type { Finding } from './conditions.ts';
import { HOST_REACHABLE } from './condition-types.ts';
import { merged } from './own-conditions.ts';

/** For the reason given. */
export function refusedStatus(
  karmada: Karmada,
  finding: Omit<Finding, 'type' | 'status'>,
  context: { readonly before: KarmadaStatus; readonly now: number; readonly phase: Phase },
): KarmadaStatus {
  const { before, now, phase } = context;
  const ready: Finding = { type: 'Ready', status: 'False', ...finding };
  // What was seen of the components before is not seen now, but nothing says that it has changed.
  const conditions = conditionsWith(karmada, [ready], { before, now });
  return { ...before, observedGeneration: karmada.metadata.generation ?? 0, phase, conditions };
}

/** The status of an instance whose host cannot be worked on: what runs there may run on, but nobody knows. */
export function unreachedStatus(
  karmada: Karmada,
  { reason, message }: { readonly reason: string; readonly message: string },
  { before, now }: { readonly before: KarmadaStatus; readonly now: number },
): KarmadaStatus {
  const installed = before.secretRef !== undefined;
  const told = reason === 'Progressing' ? 'Unknown' : 'False';
  const findings: Finding[] = [
    { type: 'Ready', status: installed ? 'Unknown' : 'False', reason, message },
    { type: HOST_REACHABLE, status: told, reason, message },
  ];
  return {
    ...before,
    observedGeneration: karmada.metadata.generation ?? 0,
    phase: installed ? 'Degraded' : 'Installing',
    conditions: conditionsWith(karmada, findings, { before, now }),
  };
}

/** The status of an instance over which no pass comes to an end: what runs may run on, but nobody looks. */
export function failingStatus(
  karmada: Karmada,
  { reason, message }: { readonly reason: string; readonly message: string },
  { before, now }: { readonly before: KarmadaStatus; readonly now: number },
): KarmadaStatus {
  const installed = before.secretRef !== undefined;
  const degraded: Finding = { type: 'Degraded', status: 'True', reason, message };
  if (karmada.metadata.deletionTimestamp !== undefined)
    return { ...before, conditions: conditionsWith(karmada, [degraded], { before, now }) };
  const findings: Finding[] = [
    { type: 'Ready', status: installed ? 'Unknown' : 'False', reason, message },
    { type: 'Progressing', status: 'False', reason, message },
    degraded,
  ];
  return {
    ...before,
    observedGeneration: karmada.metadata.generation ?? 0,
    phase: installed ? 'Degraded' : 'Failed',
    conditions: conditionsWith(karmada, findings, { before, now }),
  };
}

/** What is told, and that the host cannot be worked on. */
export function withUnreachedHost(
  karmada: Karmada,
  { reason, message }: { readonly reason: string; readonly message: string },
  { before, now }: { readonly before: KarmadaStatus; readonly now: number },
): KarmadaStatus {
  const finding: Finding = { type: HOST_REACHABLE, status: 'False', reason, message };
  return { ...before, conditions: conditionsWith(karmada, [finding], { before, now }) };
}

/** Conditions as they were, but for those of the findings, which come first. */
function conditionsWith(
  karmada: Karmada,
  findings: readonly Finding[],
  { before, now }: { readonly before: KarmadaStatus; readonly now: number },
): readonly Condition[] {
  const types = new Set(findings.map(({ type }) => type));
  return [
    ...merged(karmada, before, findings, now).filter(({ type }) => types.has(type)),
    ...(before.conditions ?? []).filter(({ type }) => !types.has(type)),
  ];
}

/** The status of a suspended instance: Ready stays as it was last seen. */
export function suspendedStatus(
  karmada: Karmada,
  before: KarmadaStatus,
  now: number,
): KarmadaStatus {
  const finding: Finding = {
    type: 'Suspended',
    status: 'True',
    reason: 'Suspended',
    message: 'spec.suspend is true: nothing is changed until it is false; deletion works',
  };
  const others = (before.conditions ?? []).filter(({ type }) => type !== 'Suspended');
  const [suspended] = merged(karmada, before, [finding], now).filter(
    ({ type }) => type === 'Suspended',
  );
  return {
    ...before,
    observedGeneration: karmada.metadata.generation ?? 0,
    phase: 'Suspended',
    conditions: [...others, ...(suspended ? [suspended] : [])],
  };
}
