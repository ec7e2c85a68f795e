/** The status of an instance that is not worked on: pure. */
import type { Problem } from '../../api/problem.ts';
import type { Condition, Karmada, KarmadaStatus, Phase } from '../../api/karmada.ts';
import { HOST_NOT_OBSERVED } from '../../hosts/host-problems.ts';
import { CLUSTER_UNOBSERVED } from '../sources.ts';
import type { Finding } from './conditions.ts';
import { HOST_REACHABLE } from './condition-types.ts';
import { specHash, stalled, STALLED } from './generic-clients.ts';
import { merged } from './own-conditions.ts';

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
  const findings = phase === 'Failed' ? [ready, stalled(cause)] : [ready];
  // What was seen of the components before is not seen now, but nothing says that it has changed.
  const conditions = conditionsWith(karmada, findings, context);
  return { ...before, observedGeneration: karmada.metadata.generation ?? 0, phase, conditions };
}

/** Reasons of a host that is not worked on until its user changes something. */
const NEEDS_USER: ReadonlySet<string> = new Set([
  'HostAccessDenied',
  'HostChanged',
  'HostSecretInvalid',
  'HostSecretMissing',
]);

/** Reasons of a host of which nobody can say that it is not reached. */
const UNKNOWN: ReadonlySet<string> = new Set(['Progressing', HOST_NOT_OBSERVED]);

/** The status of an instance whose host cannot be worked on: what runs there may run on, but nobody knows. */
export function unreachedStatus(karmada: Karmada, cause: Problem, context: Context): KarmadaStatus {
  const status = UNKNOWN.has(cause.reason) ? 'Unknown' : 'False';
  const reachable: Finding = { type: HOST_REACHABLE, status, ...cause };
  const others = NEEDS_USER.has(cause.reason) ? [reachable, stalled(cause)] : [reachable];
  return unseenStatus(karmada, cause, { ...context, others, phase: 'Installing' });
}

/** The status of an instance while the operator's own cluster cannot be observed: all may be as it was, but nobody knows. */
export function unobservedStatus(
  karmada: Karmada,
  cause: Problem,
  context: Context,
): KarmadaStatus {
  const others = cause.reason === CLUSTER_UNOBSERVED.denied ? [stalled(cause)] : [];
  return unseenStatus(karmada, cause, { ...context, others, phase: 'Installing' });
}

/** The status of an instance over which no pass comes to an end: what runs may run on, but nobody looks. */
export function failingStatus(karmada: Karmada, cause: Problem, context: Context): KarmadaStatus {
  const degraded: Finding = { type: 'Degraded', status: 'True', ...cause };
  if (karmada.metadata.deletionTimestamp !== undefined)
    return { ...context.before, conditions: conditionsWith(karmada, [degraded], context) };
  const still: Finding = { type: 'Progressing', status: 'False', ...cause };
  return unseenStatus(karmada, cause, {
    ...context,
    others: [still, degraded, stalled(cause)],
    phase: 'Failed',
  });
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

const OVER: ReadonlySet<string> = new Set(Object.values({ ...FAILING, ...CLUSTER_UNOBSERVED }));

const isOver = (reason: string): boolean => OVER.has(reason);

/** Conditions as they were, but for those of the findings, which come first. */
function conditionsWith(
  karmada: Karmada,
  findings: readonly Finding[],
  { before, now }: Context,
): readonly Condition[] {
  const types = new Set(findings.map(({ type }) => type));
  return [
    ...merged(karmada, before, findings, now).filter(({ type }) => types.has(type)),
    ...(before.conditions ?? []).filter(
      ({ type, reason }) => !types.has(type) && type !== STALLED && !isOver(reason),
    ),
  ];
}

const SUSPENDED: Finding = {
  type: 'Suspended',
  status: 'True',
  reason: 'Suspended',
  message: 'spec.suspend is true: nothing is changed until it is false; deletion works',
};

/**
 * The status of a suspended instance: Ready stays as it was last seen, but for what is no longer tried again. It is about
 * the generation that was last worked on, unless the spec is that which runs.
 */
export function suspendedStatus(
  karmada: Karmada,
  before: KarmadaStatus,
  now: number,
): KarmadaStatus {
  const generation = karmada.metadata.generation ?? 0;
  const ready = before.conditions?.find(({ type }) => type === 'Ready');
  const isApplied = before.appliedSpecHash === specHash(karmada);
  const worked = isUnseen(ready) ? before.observedGeneration : ready?.observedGeneration;
  return {
    ...before,
    observedGeneration: isApplied ? generation : (worked ?? 0),
    phase: 'Suspended',
    conditions: conditionsWith(karmada, [...suspendedReady(ready, isApplied), SUSPENDED], {
      before,
      now,
    }),
  };
}

/** What is said anew of Ready. */
function suspendedReady(ready: Condition | undefined, isApplied: boolean): readonly Finding[] {
  if (ready === undefined) return [UNSEEN];
  if (isUnseen(ready)) return [{ ...UNSEEN, status: ready.status }];
  const { type, status, reason, message } = ready;
  return isApplied ? [{ type, status, reason, message }] : [];
}

/** Whether no pass has said how the instance is. */
const isUnseen = (ready: Condition | undefined): boolean =>
  ready === undefined || isOver(ready.reason) || ready.reason === UNSEEN.reason;

const UNSEEN: Finding = {
  type: 'Ready',
  status: 'Unknown',
  reason: 'Suspended',
  message: 'it was suspended before the operator could look at it',
};
