/** The status of an instance that is not worked on: pure. */
import type { Condition, Karmada, KarmadaStatus, Phase } from '../../api/karmada.ts';
import type { Finding } from './conditions.ts';
import { HOST_REACHABLE } from './condition-types.ts';
import { merged } from './own-conditions.ts';
import type { Problem } from './pod-problems.ts';

interface Context {
  readonly before: KarmadaStatus;
  readonly now: number;
}

/** For the reason given. */
export function refusedStatus(
  karmada: Karmada,
  cause: Problem,
  { phase, ...context }: Context & { readonly phase: Phase },
): KarmadaStatus {
  const { before } = context;
  const ready: Finding = { type: 'Ready', status: 'False', ...cause };
  // What was seen of the components before is not seen now, but nothing says that it has changed.
  const conditions = conditionsWith(karmada, [ready], context);
  return { ...before, observedGeneration: karmada.metadata.generation ?? 0, phase, conditions };
}

/** The status of an instance whose host cannot be worked on: what runs there may run on, but nobody knows. */
export function unreachedStatus(karmada: Karmada, cause: Problem, context: Context): KarmadaStatus {
  const status = cause.reason === 'Progressing' ? 'Unknown' : 'False';
  const reachable: Finding = { type: HOST_REACHABLE, status, ...cause };
  return unseenStatus(karmada, cause, { ...context, others: [reachable], phase: 'Installing' });
}

/** The status of an instance over which no pass comes to an end: what runs may run on, but nobody looks. */
export function failingStatus(karmada: Karmada, cause: Problem, context: Context): KarmadaStatus {
  const degraded: Finding = { type: 'Degraded', status: 'True', ...cause };
  if (karmada.metadata.deletionTimestamp !== undefined)
    return { ...context.before, conditions: conditionsWith(karmada, [degraded], context) };
  const still: Finding = { type: 'Progressing', status: 'False', ...cause };
  return unseenStatus(karmada, cause, { ...context, others: [still, degraded], phase: 'Failed' });
}

/** @param phase of one that was never ready */
function unseenStatus(
  karmada: Karmada,
  cause: Problem,
  { others, phase, ...context }: Context & { others: readonly Finding[]; phase: Phase },
): KarmadaStatus {
  const installed = context.before.secretRef !== undefined;
  const ready: Finding = { type: 'Ready', status: installed ? 'Unknown' : 'False', ...cause };
  return {
    ...context.before,
    observedGeneration: karmada.metadata.generation ?? 0,
    phase: installed ? 'Degraded' : phase,
    conditions: conditionsWith(karmada, [ready, ...others], context),
  };
}

/** What is told, and that the host cannot be worked on. */
export function withUnreachedHost(
  karmada: Karmada,
  cause: Problem,
  context: Context,
): KarmadaStatus {
  const finding: Finding = { type: HOST_REACHABLE, status: 'False', ...cause };
  return { ...context.before, conditions: conditionsWith(karmada, [finding], context) };
}

/** Reasons of a pass that came to no end; the next one that does takes them away. */
export const FAILING = { refused: 'ReconcileFailed', fault: 'OperatorFault' } as const;

const isOver = (reason: string): boolean => Object.values<string>(FAILING).includes(reason);

/** Conditions as they were, but for those of the findings, which come first. */
function conditionsWith(
  karmada: Karmada,
  findings: readonly Finding[],
  { before, now }: Context,
): readonly Condition[] {
  const types = new Set(findings.map(({ type }) => type));
  return [
    ...merged(karmada, before, findings, now).filter(({ type }) => types.has(type)),
    ...(before.conditions ?? []).filter(({ type, reason }) => !types.has(type) && !isOver(reason)),
  ];
}

const SUSPENDED: Finding = {
  type: 'Suspended',
  status: 'True',
  reason: 'Suspended',
  message: 'spec.suspend is true: nothing is changed until it is false; deletion works',
};

/** The status of a suspended instance: Ready stays as it was last seen, but for what is no longer tried again. */
export function suspendedStatus(
  karmada: Karmada,
  before: KarmadaStatus,
  now: number,
): KarmadaStatus {
  const ready = before.conditions?.find(({ type }) => type === 'Ready');
  const unseen: Finding = {
    type: 'Ready',
    status: ready?.status ?? 'Unknown',
    reason: 'Suspended',
    message: 'it was suspended before the operator could look at it',
  };
  const findings = isOver(ready?.reason ?? '') ? [unseen, SUSPENDED] : [SUSPENDED];
  return {
    ...before,
    observedGeneration: karmada.metadata.generation ?? 0,
    phase: 'Suspended',
    conditions: conditionsWith(karmada, findings, { before, now }),
  };
}
